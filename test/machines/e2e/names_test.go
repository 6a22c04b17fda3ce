//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const zone = "platform.example"

// dig asks CoreDNS for addresses.
func dig(name string) ([]string, error) {
	out, err := sandbox("shell", "dig", "+short", "+time=2", "+tries=1", "@"+nameserver, name, "A")
	return strings.Fields(out), err
}

// answers waits until CoreDNS knows a name by these addresses.
func answers(t *testing.T, name string, addresses ...string) {
	t.Helper()
	wait(t, "the addresses of "+name, func() error {
		found, err := dig(name)
		if err == nil && !slices.Equal(addresses, slices.Sorted(slices.Values(found))) {
			err = fmt.Errorf("they are %v", found)
		}
		return err
	})
}

func testZone(t *testing.T, p platform) {
	answers(t, "nodes.postgres."+zone, nodeAddresses...)
	answers(t, "postgres."+zone, sharedIP)

	const records = "        a:\n"
	p.edit(t, "dns", records, records+"          - {name: later, addresses: [10.77.0.99]}\n")
	began := time.Now()
	assert.Equal(t, "update DnsHealth, update DnsZone", p.dns.Up().Changed())
	t.Logf("a changed zone is served %s after the begin of up", time.Since(began).Round(100*time.Millisecond))
	found, err := dig("later." + zone)
	require.NoError(t, err)
	assert.Equal(t, []string{"10.77.0.99"}, found, "the gate has waited for it")
}

// testEtcdStopped has names outlive etcd, and PostgreSQL come back with it.
func testEtcdStopped(t *testing.T, p platform) {
	for _, machine := range members {
		on(t, machine, "systemctl", "stop", "etcd")
	}
	_, err := p.root.try("get", "/zones/"+zone)
	require.Error(t, err)
	answers(t, "nodes.postgres."+zone, nodeAddresses...)
	on(t, "dns-1", "systemctl", "restart", "coredns")
	answers(t, "nodes.postgres."+zone, nodeAddresses...)
	for _, machine := range members {
		on(t, machine, "systemctl", "start", "--no-block", "etcd")
	}
	p.database.works(t)
	settled(t)
}

// testWithoutDNS has the load balancer know its servers by their addresses.
func testWithoutDNS(t *testing.T, p platform) {
	p.edit(t, "postgres", haproxyInput, haproxyInput) // as it is in what goes
	p.edit(t, "postgres", byName, "")
	up := p.postgres.Up()
	assert.Empty(t, up.Ops("Volume"))
	assert.Equal(t, []string{"update main-postgres-lb-1-domain"}, up.Ops("Domain"))
	on(t, "dns-1", "systemctl", "stop", "coredns", "coredns-updater")
	_, err := dig("postgres." + zone)
	require.Error(t, err)
	on(t, loadBalancer, "systemctl", "restart", "haproxy")
	p.database.works(t)
}
