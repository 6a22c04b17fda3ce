package haproxy_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inside is set for the test that runs in a network namespace of its own: the switch, with a
// client and a node, between the namespaces of two load balancers.
const inside = "QUORUM_TEST_IN_NAMESPACE"

const (
	clientIP = "10.9.0.9"
	sharedIP = "10.9.0.50"
)

// TestVirtualIP has HAProxy and keepalived on two machines that are network namespaces, takes
// from one what it needs, and prints for how long nobody answered at the address.
func TestVirtualIP(t *testing.T) {
	needHaproxy(t)
	if os.Getenv(inside) == "" {
		t.Parallel()
		program, err := os.Executable()
		require.NoError(t, err)
		again := exec.CommandContext(t.Context(), "unshare", "--net", program, "-test.run", "^TestVirtualIP$", "-test.v")
		again.Env = append(os.Environ(), inside+"=yes")
		out, err := again.CombinedOutput()
		t.Logf("%s", out)
		require.NoError(t, err)
		return
	}
	run(t, "ip", "link", "set", "lo", "up")
	run(t, "ip", "link", "add", "br0", "type", "bridge", "stp_state", "0", "forward_delay", "0")
	run(t, "ip", "address", "add", clientIP+"/24", "dev", "br0")
	run(t, "ip", "link", "set", "br0", "up")
	startNode(t, ports{5432, 5433, 4443, 8404, 6432, 6433}, clientIP, "primary", "server")

	lbs := sharers{newSharer(t, "lb-1", "10.9.0.1", "10.9.0.2", 200), newSharer(t, "lb-2", "10.9.0.2", "10.9.0.1", 190)}
	for _, lb := range lbs {
		lb.startHaproxy(t)
		lb.startKeepalived(t)
		lbs.settle(t) // on the first; the second has nothing to take
	}
	first := lbs.settle(t)
	require.Equal(t, lbs[0].name, first.name)
	require.NoError(t, lbs.answers(), "the address leads to the node")

	t.Log("forged advertisements, of a higher priority, from an address that is no peer's")
	for range 5 {
		forge(t, lbs[0].ip, lbs[1].ip)
		time.Sleep(300 * time.Millisecond)
	}
	assert.Equal(t, first.name, lbs.settle(t).name)

	second := lbs.moves(t, "HAProxy is killed", func() { first.signalHaproxy(t, syscall.SIGKILL) })
	first.startHaproxy(t)
	time.Sleep(4 * time.Second)
	assert.Equal(t, second.name, lbs.settle(t).name, "who comes back takes the address from nobody")

	third := lbs.moves(t, "HAProxy is frozen", func() { second.signalHaproxy(t, syscall.SIGSTOP) })
	second.signalHaproxy(t, syscall.SIGCONT)
	time.Sleep(3 * time.Second)

	t.Log("a network that is cut, behind a switch: the link stays up")
	lbs.moves(t, "the network is cut", func() { run(t, "bridge", "link", "set", "dev", third.port, "state", "0") })
	assert.True(t, third.holds(t), "the one that is cut off knows of no other")
	run(t, "bridge", "link", "set", "dev", third.port, "state", "3")
	mended := time.Now()
	holder := lbs.settle(t)
	t.Logf("with the network mended, one has the address after %v: %s", time.Since(mended).Round(time.Millisecond), holder.name)
	require.Eventually(t, func() bool { return lbs.answers() == nil }, within, 50*time.Millisecond)
	assert.Equal(t, 1, lbs.held(t))

	lbs.moves(t, "keepalived is stopped, as before HAProxy restarts", func() { stop(t, holder.keepalived, syscall.SIGTERM) })
	assert.False(t, holder.holds(t), "who stops takes nothing along")
}
