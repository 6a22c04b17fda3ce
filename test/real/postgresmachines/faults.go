package postgresmachines

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/stretchr/testify/require"
)

// Off has a machine be off until it is mended, or rebuilt. One that is not there is left
// alone.
func (p *Machines) Off(name string) {
	p.Lock()
	defer p.Unlock()
	_, named := p.Named(name)
	for _, each := range named {
		p.off[name] = each.ID
	}
	if m := p.Running[name]; m != nil {
		p.Stop(m)
	}
}

// Freeze has a machine accept connections and never answer until it is mended,
// or rebuilt, as one does whose hypervisor has paused it.
func (p *Machines) Freeze(name string) {
	p.Lock()
	defer p.Unlock()
	m := p.Running[name]
	require.NotNil(p.T, m, name)
	m.exporter.Frozen.Store(true)
	m.signal(syscall.SIGSTOP)
}

// Mend ends what Off and Freeze began.
func (p *Machines) Mend(name string) {
	p.Lock()
	defer p.Unlock()
	delete(p.off, name)
	if m := p.Running[name]; m != nil && m.exporter.Frozen.Swap(false) {
		m.signal(syscall.SIGCONT)
	}
}

// Break has a machine start again with a data directory that PostgreSQL cannot
// start from: its control file is cut.
func (p *Machines) Break(name string) {
	p.Lock()
	defer p.Unlock()
	m := p.Running[name]
	require.NotNil(p.T, m, name)
	p.Stop(m) // it is started again
	require.NoError(p.T, os.Truncate(filepath.Join(m.Data, "data", "global", "pg_control"), 0))
}

// Patronictl runs a command of patronictl on a machine, as its operator does.
func (p *Machines) Patronictl(name string, args ...string) {
	command := exec.CommandContext(p.T.Context(), "patronictl", append([]string{"-c", filepath.Join(p.Dir, name, "etc", "conf.yml")}, args...)...)
	said, err := command.CombinedOutput()
	require.NoError(p.T, err, "%s", said)
}

// signal is sent to all processes of a machine: those of PostgreSQL have a
// session each.
func (m *machine) signal(s syscall.Signal) {
	for _, pid := range family(m.command.Process.Pid) {
		_ = syscall.Kill(pid, s)
	}
	for _, pid := range m.postmasters() {
		for _, pid := range family(pid) {
			_ = syscall.Kill(pid, s)
		}
	}
}

// postmasters are the processes of PostgreSQL, also of one that an upgrade has started.
func (m *machine) postmasters() (pids []int) {
	files, _ := filepath.Glob(filepath.Join(m.Data, "data*", "postmaster.pid"))
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if pid, _ := strconv.Atoi(string(bytes.SplitN(text, []byte("\n"), 2)[0])); pid > 1 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// family are a process and those that it started.
func family(pid int) []int {
	all := []int{pid}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", pid))
	for _, child := range strings.Fields(string(text)) {
		if child, err := strconv.Atoi(child); err == nil {
			all = append(all, family(child)...)
		}
	}
	return all
}
