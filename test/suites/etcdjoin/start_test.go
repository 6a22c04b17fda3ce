package etcdjoin

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"
)

// start has the member start, for as long as it takes.
func (m *machine) start(t *testing.T) {
	t.Helper()
	log, err := os.Create(m.root + "/log")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, 1)
	m.started = started
	go func() {
		err := m.prepare(ctx, log)
		if err == nil {
			err = m.startEtcd(m.conf)
		}
		started <- err
	}()
	t.Cleanup(func() {
		cancel()
		m.stop()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s said:\n%s", m.ip, text)
		}
		log.Close()
	})
}

// prepare runs what comes before etcd, until ctx ends: then, as systemd does,
// it kills whatever was started.
func (m *machine) prepare(ctx context.Context, log io.Writer) error {
	for _, command := range m.before {
		cmd := exec.CommandContext(ctx, command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr, cmd.WaitDelay = log, log, time.Second
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		if err := cmd.Run(); err != nil {
			return err
		}
	}
	return nil
}

func (m *machine) startEtcd(conf string) error {
	config, err := embed.ConfigFromFile(conf)
	if err == nil {
		m.etcd, err = embed.StartEtcd(config)
	}
	return err
}

// serves waits until the member is one of a cluster that has a leader.
func (m *machine) serves(t *testing.T) {
	t.Helper()
	timeout := time.After(time.Minute)
	select {
	case err := <-m.started:
		require.NoError(t, err)
	case <-timeout:
		require.Failf(t, "etcd does not start", "on %s", m.ip)
	}
	select {
	case <-m.etcd.Server.ReadyNotify():
	case <-timeout:
		require.Failf(t, "etcd does not serve", "on %s", m.ip)
	}
}

func (m *machine) stop() {
	if m.etcd != nil {
		m.etcd.Server.Stop() // or Close waits for a leader
		m.etcd.Close()
		m.etcd = nil
	}
}
