//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	sharedIP       = "10.77.0.40"
	secondBalancer = "postgres-lb-2"
	secondItem     = "        - {name: " + secondBalancer + ", ip: \"${subnet}.42\"}\n"
	sharing        = "      virtualIp: {address: \"${subnet}.40\"} # one of the load balancers has it\n"
)

// testVirtualIP takes each of the load balancers that share an address away. In the end
// one is left, which shares it with none.
func testVirtualIP(t *testing.T, p platform) {
	assert.Equal(t, sharedIP+":5432", p.postgres.Outputs()["primary"].([]any)[0])

	for _, fault := range []struct{ what, command, mended string }{
		{"HAProxy is stuck", "systemctl kill --signal=STOP haproxy", "systemctl kill --signal=CONT haproxy"},
		{"HAProxy is killed", "systemctl kill --signal=KILL haproxy", ""},
		{"HAProxy is restarted", "systemctl restart haproxy", ""},
		{"keepalived is killed", "systemctl kill --signal=KILL keepalived", ""},
	} {
		holder := holderOf(t, sharedIP)
		p.database.whileWriting(t, func() { on(t, holder, "sh", "-c", fault.command) })
		if fault.mended != "" {
			on(t, holder, "sh", "-c", fault.mended)
		}
		t.Logf("%s on %s: %s has the address", fault.what, holder, holderOf(t, sharedIP))
	}
	for _, name := range []string{loadBalancer, secondBalancer} {
		p.database.whileWriting(t, func() { p.postgres.Up("--replace", "**main-"+name+"-domain") })
		t.Logf("%s rebuilt: %s has the address", name, holderOf(t, sharedIP))
	}

	p.database.at = balancer
	p.edit(t, "postgres", sharing, "")
	p.edit(t, "postgres", secondItem, "")
	p.postgres.Up()
	assert.Empty(t, strings.TrimSpace(on(t, loadBalancer, "ip", "-oneline", "address", "show", "to", sharedIP)))
	p.database.works(t)
}

// holderOf is the one load balancer that has an address, once there is just one.
func holderOf(t *testing.T, ip string) (holder string) {
	t.Helper()
	wait(t, "one load balancer with "+ip, func() error {
		var holders []string
		for _, name := range []string{loadBalancer, secondBalancer} {
			out, err := hardware.do("exec", name, "ip", "-oneline", "address", "show", "to", ip)
			if err == nil && strings.TrimSpace(out) != "" {
				holders = append(holders, name)
			}
		}
		if len(holders) == 1 {
			holder = holders[0]
			return nil
		}
		return fmt.Errorf("it is on %v", holders)
	})
	require.NotEmpty(t, holder)
	return holder
}
