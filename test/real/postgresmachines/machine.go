package postgresmachines

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const (
	patroni, haproxy = "patroni", "haproxy"

	postgresPrograms = "/usr/lib/postgresql/*/bin" // where Debian has them
)

// machine is one that runs.
type machine struct {
	incarnation
	generation string       // in force
	metric     atomic.Value // what quorum-apply says
	exporter   *http.Server
	frozen     atomic.Bool
	command    *exec.Cmd
}

// served is the address of a machine, as its exporter is given it.
var served = regexp.MustCompile(`--web\.listen-address=\[?([0-9.]+)\]?:9100`)

func (p *Machines) start(s spec) *machine {
	m := &machine{incarnation: s.incarnation}
	m.say(s.state.Generation, "done", "")
	ip, err := p.put(s)
	if err == nil {
		err = m.export(ip)
	}
	if err == nil {
		err = m.run(filepath.Join(p.dir, s.name))
	}
	assert.NoError(p.t, err, s.name)
	return m
}

// say has the exporter tell of a generation of the state.
func (m *machine) say(generation, outcome, reason string) {
	m.generation = generation
	if reason != "" {
		reason = fmt.Sprintf(",reason=%q", reason)
	}
	m.metric.Store(fmt.Sprintf("quorum_apply_info{generation=%q,outcome=%q%s} 1\n", generation, outcome, reason))
}

// apply takes a change up that needs no restart: Patroni and HAProxy read their
// files again, as each ExecReload of their units has them do.
func (p *Machines) apply(m *machine, s spec) error {
	if s.state.Generation == m.generation {
		return nil
	}
	if _, err := p.put(s); err != nil {
		return err
	}
	reload := syscall.SIGHUP
	if strings.HasSuffix(m.command.Path, haproxy) {
		reload = syscall.SIGUSR2
	}
	m.say(s.state.Generation, "done", "")
	if err := m.command.Process.Signal(reload); err != nil || reload != syscall.SIGHUP {
		return err
	}
	again := exec.CommandContext(p.t.Context(), "python3", filepath.Join(engine.Root(), "provider/postgres/patroni/program/quorum-patroni"), "reload", filepath.Join(p.dir, s.name, "etc", "quorum.json"))
	again.Env = append(os.Environ(), fmt.Sprintf("MAINPID=%d", m.command.Process.Pid))
	if err := again.Start(); err != nil {
		return err
	}
	go func() { _ = again.Wait() }()
	return nil
}

// put writes the machine's files below its directory, so that several machines
// can be on this one.
func (p *Machines) put(s spec) (ip string, err error) {
	dir := filepath.Join(p.dir, s.name)
	for _, f := range s.state.Files {
		if found := served.FindStringSubmatch(f.Content); found != nil {
			ip = found[1]
		}
	}
	for _, d := range []string{s.data, filepath.Join(dir, "etc", "tls"), filepath.Join(dir, "etc", "patroni")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return "", err
		}
	}
	here := strings.NewReplacer(
		"/etc/patroni", filepath.Join(dir, "etc"), "/etc/haproxy", filepath.Join(dir, "etc"), "/var/lib/postgresql", s.data,
		",127.0.0.1:5432", ":5432", "bind :", "bind "+ip+":",
		"local all postgres peer", "local all postgres trust", // for any user
		"parameters:\n        ssl:", "parameters:\n        fsync: \"off\"\n        unix_socket_directories: "+s.data+"\n        ssl:",
		"    chroot /var/lib/haproxy\n    user haproxy\n    group haproxy\n", "",
	)
	for _, f := range s.state.Files {
		for _, own := range []string{"/etc/patroni/", "/etc/haproxy/"} {
			if rest, is := strings.CutPrefix(f.Path, own); is {
				err = os.WriteFile(filepath.Join(dir, "etc", rest), []byte(here.Replace(f.Content)), 0o600)
			}
		}
		if err != nil {
			return "", err
		}
	}
	return ip, nil
}

// run starts the machine's service.
func (m *machine) run(dir string) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	conf := filepath.Join(dir, "etc", "conf.yml")
	if _, err := os.Stat(conf); err != nil {
		m.command = exec.Command(haproxy, "-W", "-db", "-f", filepath.Join(dir, "etc", "haproxy.cfg"))
	} else {
		programs, _ := filepath.Glob(postgresPrograms)
		m.command = exec.Command(patroni, conf)
		m.command.Env = append(os.Environ(), "HOME="+m.data, "PATRONI_POSTGRESQL_BIN_DIR="+programs[0])
	}
	m.command.Dir, m.command.Stdout, m.command.Stderr = m.data, log, log
	m.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
		if m.command.SysProcAttr.Credential, err = nobody(dir, m.data); err != nil {
			return err
		}
	}
	return m.command.Start()
}

// nobody is given all that is in directories.
func nobody(directories ...string) (*syscall.Credential, error) {
	nobody, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	for _, directory := range directories {
		err = filepath.Walk(directory, func(path string, _ os.FileInfo, err error) error {
			if err == nil {
				err = os.Lchown(path, uid, gid)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// stop ends the machine as if its power went.
func (m *machine) stop() {
	if m.exporter != nil {
		_ = m.exporter.Close()
	}
	if m.command == nil || m.command.Process == nil {
		return
	}
	m.signal(syscall.SIGKILL)
	_ = syscall.Kill(-m.command.Process.Pid, syscall.SIGKILL)
	_ = m.command.Wait()
}

// export serves the metric by which quorum-apply says what is in force.
func (m *machine) export(ip string) error {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort(ip, "9100"))
	if err != nil {
		return err
	}
	m.exporter = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if m.frozen.Load() {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, m.metric.Load())
	})}
	go func() { _ = m.exporter.Serve(listener) }()
	return nil
}
