package etcdmachines

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// Releases has machines run etcd of certain releases, as programs that lie in a
// directory as etcd-VERSION: the one that `etcd.version` names, and else the
// one that the distribution has. Without this they run that of the root go.mod.
func (m *Machines) Releases(dir, distribution string) {
	m.Lock()
	defer m.Unlock()
	m.programs, m.distribution = dir, distribution
}

// Distribution has machines that are rebuilt find another release there.
func (m *Machines) Distribution(version string) {
	m.Lock()
	defer m.Unlock()
	m.distribution = version
}

// Apart has machines run their etcd as a program of its own: when it ends, the kernel closes all
// of its connections, as when a machine ends. An etcd in this process may leave one open, and
// Patroni waits without a limit for what comes on the one by which it watches its keys.
func (m *Machines) Apart() {
	etcd, err := engine.Etcd()
	require.NoError(m.T, err)
	m.Lock()
	defer m.Unlock()
	m.apart = etcd
}

var released = regexp.MustCompile(`/v([0-9.]+)/etcd-`)

// program is what a machine runs as etcd, or "" for the one in this process.
func (m *Machines) program(s guest.State) string {
	if m.programs == "" {
		return m.apart
	}
	version := m.distribution
	for _, a := range s.Artifacts {
		if found := released.FindStringSubmatch(a.URL); found != nil {
			version = found[1]
		}
	}
	return filepath.Join(m.programs, "etcd-"+version)
}

// served is an etcd that runs.
type served struct {
	ready <-chan struct{}
	gone  <-chan struct{} // closed when it has ended by itself
	stop  func()
	here  *embed.Etcd // nil for a program
}

// launch starts etcd.
func (m *machine) launch(conf string, config *embed.Config) (served, error) {
	if m.program != "" {
		return m.execute(conf, config)
	}
	config.GRPCAdditionalServerOptions = append(config.GRPCAdditionalServerOptions, ending...)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return served{}, err
	}
	return served{ready: etcd.Server.ReadyNotify(), gone: etcd.Server.StopNotify(), here: etcd, stop: func() {
		etcd.Server.Stop() // or Close waits for a leader
		etcd.Close()
	}}, nil
}

// execute starts etcd as a program, which is ready when it says that it is healthy.
func (m *machine) execute(conf string, config *embed.Config) (served, error) {
	log, err := os.OpenFile(filepath.Join(m.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return served{}, err
	}
	defer log.Close()
	cmd := exec.Command(m.program, "--config-file", conf)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return served{}, err
	}
	ready, gone := make(chan struct{}), make(chan struct{})
	go func() { defer close(gone); _ = cmd.Wait() }()
	ctx, cancel := context.WithCancel(m.ended)
	go func() {
		for ctx.Err() == nil {
			if client, err := m.client(ctx, config, ""); err == nil {
				once, end := context.WithTimeout(ctx, time.Second)
				_, err = client.Status(once, client.Endpoints()[0])
				client.Close()
				if code := status.Code(err); err == nil || code != codes.Unavailable && code != codes.DeadlineExceeded && once.Err() == nil {
					end()
					close(ready)
					return
				}
				end()
			}
			time.Sleep(200 * time.Millisecond)
		}
	}()
	return served{ready: ready, gone: gone, stop: func() {
		cancel()
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-gone:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-gone
		}
	}}, nil
}
