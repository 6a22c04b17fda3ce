package etcdmachines

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// serve is etcd's service, from its start until it ends, as it does when the
// cluster has removed the member, or the machine ends.
func (m *machine) serve(s guest.State, ready func(*embed.Config) error) error {
	conf := filepath.Join(m.dir, "etc", "conf.yml")
	if err := m.prepare(s, conf, conf+".joined"); err != nil {
		return err
	}
	config, err := embed.ConfigFromFile(conf + ".joined")
	if err != nil {
		return err
	}
	m.config.Store(config)
	etcd, err := m.launch(conf+".joined", config)
	if err != nil {
		return err
	}
	defer etcd.stop()
	select {
	case <-etcd.ready:
	case <-etcd.gone:
		return nil
	case <-m.ended.Done():
		return nil
	}
	if etcd.here != nil {
		m.serving.Store(m.Name, etcd.here)
		defer m.serving.Delete(m.Name)
	}
	for err := ready(config); ; err = ready(config) { // a learner is told nothing yet
		again := time.After(pause)
		if err == nil {
			again = nil
		}
		select {
		case <-etcd.gone:
			return nil
		case <-m.ended.Done():
			return nil
		case <-again:
		}
	}
}

// put writes the machine's files below its directory.
func (m *machine) put(s guest.State) (bootstraps bool, err error) {
	for _, d := range []string{filepath.Join(m.Data, "data"), filepath.Join(m.dir, "etc", "tls")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return false, err
		}
	}
	for _, f := range s.Files {
		bootstraps = bootstraps || strings.HasSuffix(f.Path, "/etcd-auth.service")
		rest, isEtcd := strings.CutPrefix(f.Path, "/etc/etcd/")
		if !isEtcd {
			continue
		}
		if err := os.WriteFile(filepath.Join(m.dir, "etc", rest), []byte(m.here(f.Content)), 0o600); err != nil {
			return false, err
		}
	}
	return bootstraps, m.exporter.BackedUp(s)
}

// recovery is the id of one, where the machine's etcd has to carry it out.
var recovery = regexp.MustCompile(`(?m)^ExecStartPre=\S*/etcd-recover (\S+) `)

// prepare has the programs of the machine decide what etcd starts with.
func (m *machine) prepare(s guest.State, from, to string) error {
	if err := m.precede("etcd-join", from, to); err != nil {
		return err
	}
	for _, f := range s.Files {
		if found := recovery.FindStringSubmatch(f.Content); found != nil {
			etcd, err := m.program, error(nil)
			if etcd == "" {
				etcd, err = engine.Etcd()
			}
			if err != nil {
				return err
			}
			return m.precede("etcd-recover", found[1], to, etcd)
		}
	}
	return nil
}

// precede runs one of the programs that come before etcd, until the machine ends.
func (m *machine) precede(name string, args ...string) error {
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.CommandContext(m.ended, "python3", append([]string{filepath.Join(engine.Root(), programs, name)}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}
