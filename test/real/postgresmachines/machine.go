package postgresmachines

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/fleet"
)

const (
	patroni, haproxy = "patroni", "haproxy"

	postgresPrograms = "/usr/lib/postgresql/*/bin" // where Debian has them

	walProgram = host.Library + "/quorum-wal"
	led        = "led" // link, beside what a machine says
)

// machine is one that runs.
type machine struct {
	fleet.Run
	t        testing.TB
	dir      string
	taken    string // generation of the state
	takes    bool   // settings, by which the running cluster changes
	exporter fleet.Exporter
	command  *exec.Cmd
}

// quorumPatroni is the program that runs Patroni on machines.
func quorumPatroni() string {
	return filepath.Join(engine.Root(), "provider/postgres/patroni/program/quorum-patroni")
}

// Current is what the machine runs.
func (m *machine) Current() fleet.Run { return m.Run }

// Taken is the generation of the state that it has.
func (m *machine) Taken() string { return m.taken }

// served is the address of a machine, as its exporter is given it.
var served = regexp.MustCompile(`--web\.listen-address=\[?([0-9.]+)\]?:9100`)

// Say has the exporter tell of a generation of the state.
func (m *machine) Say(generation, outcome, reason string) {
	m.taken = generation
	m.exporter.Tell(generation, outcome, reason)
}

// Apply takes a change up that needs no restart: Patroni and HAProxy read their
// files again, as each ExecReload of their units has them do.
func (m *machine) Apply(s fleet.Spec) error {
	if _, err := m.put(s.State); err != nil {
		return err
	}
	reload := syscall.SIGHUP
	if strings.HasSuffix(m.command.Path, haproxy) {
		reload = syscall.SIGUSR2
	}
	if m.taken = s.State.Generation; !m.takes || reload != syscall.SIGHUP {
		m.Say(s.State.Generation, "done", "")
	}
	if err := m.command.Process.Signal(reload); err != nil || reload != syscall.SIGHUP {
		return err
	}
	if m.takes {
		go m.settle(s.State.Generation)
	}
	again := exec.CommandContext(m.t.Context(), "python3", quorumPatroni(), "reload", filepath.Join(m.dir, "etc", "quorum.json"))
	again.Env = append(os.Environ(), fmt.Sprintf("MAINPID=%d", m.command.Process.Pid))
	if err := again.Start(); err != nil {
		return err
	}
	go func() { _ = again.Wait() }()
	return nil
}

// settle has the cluster take its settings, as patroni-settings.service does before quorum-apply
// says that a change is done.
func (m *machine) settle(generation string) {
	takes := exec.CommandContext(m.t.Context(), "python3", quorumPatroni(), "settings", filepath.Join(m.dir, "etc", "quorum.json"))
	takes.Env = append(os.Environ(), "PGHOST="+m.Data, "PGUSER=postgres")
	if said, err := takes.CombinedOutput(); err != nil {
		m.exporter.Tell(generation, "rolled back", strings.TrimSpace(string(said)))
		return
	}
	m.exporter.Tell(generation, "done", "")
}

// run starts the machine's service.
func (m *machine) run() error {
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	conf := filepath.Join(m.dir, "etc", "conf.yml")
	if _, err := os.Stat(conf); err != nil {
		m.command = exec.Command(haproxy, "-W", "-db", "-f", filepath.Join(m.dir, "etc", "haproxy.cfg"))
	} else {
		programs, _ := filepath.Glob(postgresPrograms)
		program, err := os.ReadFile(quorumPatroni())
		if err != nil {
			return err
		}
		own := filepath.Join(m.dir, "etc", "quorum-patroni") // as nobody may read it
		if err := os.WriteFile(own, program, 0o600); err != nil {
			return err
		}
		command := []string{"/usr/bin/python3", filepath.Join(m.dir, "etc", "systemd.py"), "patroni", filepath.Join(m.Data, "data"), own, "run", conf}
		quorum := filepath.Join(m.dir, "etc", "quorum.json")
		if said, err := os.ReadFile(quorum); err == nil && strings.Contains(string(said), `"joins": true`) {
			command = []string{"sh", "-c", `until /usr/bin/python3 "$0" known "$1"; do sleep 1; done; exec /usr/bin/python3 "$0" run "$2"`, own, quorum, conf}
		}
		if err := m.write("systemd.py", systemd); err != nil {
			return err
		}
		m.command = exec.Command("/usr/bin/python3", append([]string{filepath.Join(m.dir, "etc", "systemd.py"), "boot", m.dir}, command...)...)
		m.command.Env = append(os.Environ(), "HOME="+m.Data, "PATRONI_POSTGRESQL_BIN_DIR="+programs[0])
	}
	m.command.Dir, m.command.Stdout, m.command.Stderr = m.Data, log, log
	m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
		if m.command.SysProcAttr.Credential, err = nobody(m.dir, m.Data); err != nil {
			return err
		}
	}
	return m.command.Start()
}

// Stop ends the machine as if its power went.
func (m *machine) Stop() {
	m.exporter.Close()
	if m.command == nil || m.command.Process == nil {
		return
	}
	m.signal(syscall.SIGKILL)
	_ = syscall.Kill(-m.command.Process.Pid, syscall.SIGKILL)
	_ = m.command.Wait()
}
