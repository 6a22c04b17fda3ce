package etcdmachines

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const programs = "provider/etcd/config/join"

// spec is what a machine is to be.
type spec struct {
	incarnation
	state   guest.State
	program string // "" for the etcd in this process
}

// incarnation tells one run of etcd from another.
type incarnation struct {
	name, id string // of the domain
	data     string // directory
	restart  string
	reboots  int
}

func read(userData string) (s guest.State, err error) {
	text, err := hypervisor.State(userData)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}

// reader remembers what was read last of each machine: they are looked at often
// and change seldom.
type reader map[string]reading

type reading struct {
	userData string
	state    guest.State
	err      error
}

func (r reader) read(m hypervisor.Machine) (guest.State, error) {
	last, is := r[m.Name]
	if !is || last.userData != m.UserData {
		last.userData = m.UserData
		last.state, last.err = read(m.UserData)
		r[m.Name] = last
	}
	return last.state, last.err
}

// machine is one that runs.
type machine struct {
	incarnation
	program    string
	dir        string
	stop       func()
	stopped    context.Context
	wait       sync.WaitGroup
	generation string       // in force
	wanted     atomic.Value // the same, for what runs beside
	config     atomic.Pointer[embed.Config]
	metric     atomic.Value // what quorum-apply says
	serving    *sync.Map    // where it is put while it serves
}

func start(t testing.TB, s spec, dir string, serving *sync.Map) *machine {
	m := &machine{incarnation: s.incarnation, program: s.program, dir: dir, serving: serving}
	ctx, cancel := context.WithCancel(context.Background())
	m.stopped = ctx
	m.stop = func() { cancel(); m.wait.Wait() }
	m.say(s.state.Generation, "done", "")
	m.wait.Go(func() {
		if err := m.run(s.state); err != nil && ctx.Err() == nil {
			t.Logf("%s: %v", s.name, err)
		}
	})
	return m
}

// say has the exporter tell of a generation of the state.
func (m *machine) say(generation, outcome, reason string) {
	m.generation = generation
	m.wanted.Store(generation)
	m.metric.Store(metric(generation, outcome, reason))
}

func metric(generation, outcome, reason string) string {
	if reason != "" {
		reason = fmt.Sprintf(",reason=%q", reason)
	}
	return fmt.Sprintf("quorum_apply_info{generation=%q,outcome=%q%s} 1\n", generation, outcome, reason)
}

// apply takes a change up that needs no restart: etcd reads its certificate
// again for each connection.
func (m *machine) apply(s guest.State) error {
	if s.Generation == m.generation {
		return nil
	}
	_, bootstraps, err := m.put(s)
	config := m.config.Load()
	if err != nil || !bootstraps || config == nil {
		m.say(s.Generation, "done", "")
		return err
	}
	m.generation = s.Generation // and told when it is in force
	m.wanted.Store(s.Generation)
	m.wait.Go(func() {
		for m.authenticate(config) != nil && m.stopped.Err() == nil {
			time.Sleep(pause)
		}
		if m.wanted.Load() == s.Generation { // no other change came
			m.metric.Store(metric(s.Generation, "done", ""))
		}
	})
	return nil
}

// pause is how long systemd waits before it starts etcd again that has ended.
const pause = time.Second

// run is the machine from its boot to its end.
func (m *machine) run(s guest.State) error {
	ip, bootstraps, err := m.put(s)
	if err != nil {
		return err
	}
	export := sync.OnceFunc(func() { m.wait.Go(func() { _ = m.export(ip) }) })
	for {
		err := m.serve(s, func(config *embed.Config) error {
			if bootstraps {
				if err := m.authenticate(config); err != nil {
					return err
				}
			}
			export()
			return nil
		})
		if err != nil || m.stopped.Err() != nil {
			return err
		}
		select {
		case <-m.stopped.Done():
		case <-time.After(pause):
		}
	}
}

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
	case <-m.stopped.Done():
		return nil
	}
	if etcd.here != nil {
		m.serving.Store(m.name, etcd.here)
		defer m.serving.Delete(m.name)
	}
	for err := ready(config); ; err = ready(config) { // a learner is told nothing yet
		again := time.After(pause)
		if err == nil {
			again = nil
		}
		select {
		case <-etcd.gone:
			return nil
		case <-m.stopped.Done():
			return nil
		case <-again:
		}
	}
}

// put writes the machine's files below its directory.
func (m *machine) put(s guest.State) (ip string, bootstraps bool, err error) {
	for _, d := range []string{m.data, filepath.Join(m.dir, "etc", "tls")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return "", false, err
		}
	}
	for _, f := range s.Files {
		bootstraps = bootstraps || strings.HasSuffix(f.Path, "/etcd-auth.service")
		rest, isEtcd := strings.CutPrefix(f.Path, "/etc/etcd/")
		if !isEtcd {
			continue
		}
		content := strings.NewReplacer("/etc/etcd", filepath.Join(m.dir, "etc"), "/var/lib/etcd", m.data).Replace(f.Content)
		if _, url, found := strings.Cut(content, "listen-client-urls: https://"); found {
			ip, _, _ = strings.Cut(url, ":2379")
			content = strings.ReplaceAll(content, ",https://127.0.0.1:2379", "")                                       // they share it here
			content += "log-level: error\nunsafe-no-fsync: true\nlog-outputs: [" + filepath.Join(m.dir, "log") + "]\n" // no power goes here
		}
		if err := os.WriteFile(filepath.Join(m.dir, "etc", rest), []byte(content), 0o600); err != nil {
			return "", false, err
		}
	}
	return ip, bootstraps, nil
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
	cmd := exec.CommandContext(m.stopped, "python3", append([]string{filepath.Join(engine.Root(), programs, name)}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}

// export serves the metric by which quorum-apply says what is in force.
func (m *machine) export(ip string) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
	if err != nil {
		return err
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, m.metric.Load())
	})}
	m.wait.Go(func() { <-m.stopped.Done(); server.Close() })
	_ = server.Serve(listener)
	return nil
}
