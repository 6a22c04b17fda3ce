// Package postgresmachines runs real Patroni, with PostgreSQL, and HAProxy for the
// machines of a fake world, so that the engine, the provider and these work
// together without a virtual machine.
//
// A machine runs while its domain exists, with the configuration that its drive
// has. Its data last as long as its data volume. Its end is that of a machine
// whose power goes.
package postgresmachines

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// Machines are the machines of a world that run.
type Machines struct {
	t     testing.TB
	world *hypervisor.Watch
	dir   string

	lock     sync.Mutex
	drives   map[string]drive // that were read last
	machines map[string]*machine
	sick     []string
	off      map[string]string // ids of the machines that are off
	refused  map[string]string // why changes are rolled back
}

type drive struct {
	userData string
	state    guest.State
}

// spec is what a machine is to be.
type spec struct {
	incarnation
	state guest.State
}

// incarnation tells one run of a machine's service from another.
type incarnation struct {
	name, id string // of the domain
	data     string // directory
	restart  string
}

// Run follows a world until the test ends, or skips the test where Patroni,
// PostgreSQL or HAProxy is not installed.
func Run(t testing.TB, w engine.World) *Machines {
	t.Helper()
	programs, _ := filepath.Glob(postgresPrograms)
	for _, program := range []string{patroni, haproxy} {
		if _, err := exec.LookPath(program); err != nil || len(programs) == 0 {
			t.Skip("Patroni, PostgreSQL or HAProxy is not installed: tools/setup test installs them")
		}
	}
	dir, err := os.MkdirTemp("", "databases") // in one of t's only its own user may go
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	p := &Machines{t: t, world: w.Watch(), dir: dir, drives: map[string]drive{}, machines: map[string]*machine{}, off: map[string]string{}, refused: map[string]string{}}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			p.follow()
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		<-stopped
		for _, each := range p.machines {
			p.stop(each)
		}
		if t.Failed() {
			p.show()
		}
		_ = os.RemoveAll(dir)
	})
	return p
}

// Sick keeps a machine from running, or lets it run again.
func (p *Machines) Sick(name string, sick bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.sick = slices.DeleteFunc(p.sick, func(s string) bool { return s == name })
	if sick {
		p.sick = append(p.sick, name)
	}
}

// Refuse has a machine roll changes back from now on, for a reason; without
// one it takes them up again.
func (p *Machines) Refuse(name, reason string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.refused[name] = reason
}

// follow has those machines run that exist.
func (p *Machines) follow() {
	p.lock.Lock()
	defer p.lock.Unlock()
	objects, err := p.world.Objects()
	if err != nil {
		return // a file is being written
	}
	wanted := map[string]spec{}
	for _, o := range objects {
		if o.Type == "Domain" && o.Props["running"] != false && !slices.Contains(p.sick, o.Name) && p.off[o.Name] != o.ID {
			if s, is := p.spec(o, objects); is {
				wanted[o.Name] = s
			}
		}
	}
	for name, running := range p.machines {
		now := wanted[name]
		switch reason := p.refused[name]; {
		case reason != "" && now.id == running.id:
			if now.state.Generation != running.generation {
				running.say(now.state.Generation, "rolled back", reason)
			}
		case now.incarnation != running.incarnation:
			p.stop(running)
		default:
			assert.NoError(p.t, p.apply(running, now), name)
		}
	}
	for name, spec := range wanted {
		if p.machines[name] == nil {
			assert.NoError(p.t, p.world.Starts(spec.id), name)
			p.machines[name] = p.start(spec)
		}
	}
}

// spec reads what a machine is to be, if it is one of ours.
func (p *Machines) spec(domain hypervisor.Object, objects []hypervisor.Object) (s spec, is bool) {
	s.name, s.id = domain.Name, domain.ID
	disks, _ := domain.Props["disks"].([]any)
	for _, o := range objects {
		switch {
		case o.Type == "CloudInitDisk" && o.ID == domain.Props["cloudinit"]:
			userData, _ := o.Props["userData"].(string)
			var known bool
			if s.state, known = p.read(domain.Name, userData); !known {
				return s, false
			}
		case o.Type == "Volume" && o.Host == domain.Host && o.ID == disks[len(disks)-1].(map[string]any)["volumeId"]:
			s.data = filepath.Join(p.dir, "volumes", o.Born)
		}
	}
	restarts := s.state.Restarts()
	s.restart = restarts[patroni+".service"] + restarts[haproxy+".service"]
	return s, s.data != "" && s.restart != ""
}

// read is what a drive says that a machine is to be. They are looked at often and
// change seldom, so the last one of each machine is remembered.
func (p *Machines) read(name, userData string) (s guest.State, known bool) {
	if last, is := p.drives[name]; is && last.userData == userData {
		return last.state, true
	}
	text, err := hypervisor.State(userData)
	if err != nil || json.Unmarshal(text, &s) != nil {
		return s, false
	}
	p.drives[name] = drive{userData, s}
	return s, true
}

func (p *Machines) stop(m *machine) {
	m.stop()
	delete(p.machines, m.name)
	assert.NoError(p.t, p.world.Ends(m.id), m.name)
}

// show tells what the machines said, for a test that failed.
func (p *Machines) show() {
	logs, _ := filepath.Glob(filepath.Join(p.dir, "*", "log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		p.t.Logf("%s said:\n%s", filepath.Base(filepath.Dir(log)), text[max(0, len(text)-4000):])
	}
}
