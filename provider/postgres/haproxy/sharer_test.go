package haproxy_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
)

// sharers are the load balancers that share the address.
type sharers []*sharer

// settle waits until just one has the address, and goes on having it.
func (all sharers) settle(t *testing.T) (holder *sharer) {
	t.Helper()
	require.Eventually(t, func() bool {
		for range 3 {
			if all.held(t) != 1 {
				return false
			}
			time.Sleep(100 * time.Millisecond)
		}
		return true
	}, within, 100*time.Millisecond)
	for _, lb := range all {
		if lb.holds(t) {
			holder = lb
		}
	}
	return holder
}

func (all sharers) held(t *testing.T) (n int) {
	for _, lb := range all {
		if lb.holds(t) {
			n++
		}
	}
	return n
}

// moves breaks something, and waits until another has the address and answers at it.
func (all sharers) moves(t *testing.T, what string, breaks func()) (to *sharer) {
	t.Helper()
	before := all.settle(t)
	require.NoError(t, all.answers())
	breaks()
	broken := time.Now()
	for _, lb := range all {
		if lb != before {
			to = lb
		}
	}
	require.Eventually(t, func() bool { return to.holds(t) && all.answers() == nil }, within, 20*time.Millisecond, what)
	t.Logf("%s: %v until the address answered again", what, time.Since(broken).Round(10*time.Millisecond))
	return to
}

// answers connects to the node by the address, as a client does.
func (sharers) answers() error {
	c, err := net.DialTimeout("tcp", at(sharedIP, 5432), 200*time.Millisecond)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if err := c.SetDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		return err
	}
	line, err := bufio.NewReader(c).ReadString('\n')
	if err == nil && strings.TrimSpace(line) != clientIP {
		err = fmt.Errorf("%q answers", line)
	}
	return err
}

// sharer is a load balancer in a network namespace, on a port of the switch.
type sharer struct {
	name, ip, peer, port, home string
	priority                   int
	namespace                  string // the process that holds it
	haproxy, keepalived        *exec.Cmd
}

func newSharer(t *testing.T, name, ip, peer string, priority int) *sharer {
	t.Helper()
	lb := &sharer{name: name, ip: ip, peer: peer, port: name + "-port", priority: priority}
	holder := exec.Command("unshare", "--net", "cat")
	_, err := holder.StdinPipe() // closed when this process ends, however it does
	require.NoError(t, err)
	require.NoError(t, holder.Start())
	t.Cleanup(func() { stop(t, holder, syscall.SIGTERM) })
	lb.namespace = fmt.Sprint(holder.Process.Pid)
	own, err := os.Readlink("/proc/self/ns/net")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		its, err := os.Readlink("/proc/" + lb.namespace + "/ns/net")
		return err == nil && its != own
	}, within, 10*time.Millisecond)
	run(t, "ip", "link", "add", lb.port, "type", "veth", "peer", "name", "eth0", "netns", lb.namespace)
	run(t, "ip", "link", "set", lb.port, "master", "br0", "up")
	lb.run(t, "ip", "link", "set", "lo", "up")
	lb.run(t, "ip", "address", "add", ip+"/24", "dev", "eth0")
	lb.run(t, "ip", "link", "set", "eth0", "up")
	lb.home, err = os.MkdirTemp("/tmp", "quorum-vip") // which the user may reach, unlike t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(lb.home) })
	require.NoError(t, os.Chmod(lb.home, 0o755))
	lb.configure(t)
	return lb
}

// in is a command in the namespace.
func (s *sharer) in(words ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"--target", s.namespace, "--net"}, words...)...)
}

func (s *sharer) run(t *testing.T, words ...string) string {
	t.Helper()
	out, err := s.in(words...).CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", words, out)
	return string(out)
}

func (s *sharer) holds(t *testing.T) bool {
	return s.run(t, "ip", "-oneline", "address", "show", "to", sharedIP) != ""
}

func (s *sharer) startHaproxy(t *testing.T) {
	s.haproxy = s.start(t, "haproxy", s.in(program, "-W", "-db", "-f", filepath.Join(s.home, "haproxy.cfg")))
}

func (s *sharer) startKeepalived(t *testing.T) {
	s.keepalived = s.start(t, "keepalived", s.in(append(asUnit(), "keepalived", "--dont-fork", "--vrrp", "--log-console", "--use-file", filepath.Join(s.home, "run", "keepalived.conf"),
		"--pid", filepath.Join(s.home, "run", "main.pid"), "--vrrp_pid", filepath.Join(s.home, "run", "vrrp.pid"),
		"--checkers_pid", filepath.Join(s.home, "run", "checkers.pid"), "--bfd_pid", filepath.Join(s.home, "run", "bfd.pid"))...))
}

// start starts a service as a group of processes, and tells what it said if the test fails.
func (s *sharer) start(t *testing.T, name string, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	var said safeBuffer
	cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &said, &said, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		stop(t, cmd, syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s of %s:\n%s", name, s.name, said.String())
		}
	})
	return cmd
}

func (s *sharer) signalHaproxy(t *testing.T, signal syscall.Signal) {
	if signal == syscall.SIGKILL {
		stop(t, s.haproxy, signal)
		return
	}
	require.NoError(t, syscall.Kill(-s.haproxy.Process.Pid, signal))
}

// stop ends a process and those of its group, once.
func stop(_ *testing.T, cmd *exec.Cmd, signal syscall.Signal) {
	if cmd.ProcessState != nil {
		return
	}
	if cmd.SysProcAttr == nil || syscall.Kill(-cmd.Process.Pid, signal) != nil {
		_ = cmd.Process.Signal(signal)
	}
	_ = cmd.Wait()
}

func run(t *testing.T, words ...string) {
	t.Helper()
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	require.NoErrorf(t, err, "%s: %s", words, out)
}

// settings are those of the load balancers.
func settings() haproxy.Settings { return haproxy.Settings{Servers: []string{clientIP}} }
