package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTwoComponentsWithOneAddress has a component warn of what another of the same program has for itself.
func TestTwoComponentsWithOneAddress(t *testing.T) {
	t.Parallel()
	w := newWire(t)
	says := func(c component, more string) (warnings []string) {
		t.Helper()
		made := w.plan(t, c, merge(c.inputs(t, c.base), readInputs(t, more)), true)
		require.NoError(t, made.err)
		for _, message := range made.messages {
			if strings.Contains(message, "only one may have it") {
				warnings = append(warnings, message)
			}
		}
		slices.Sort(warnings)
		return warnings
	}
	const (
		unless = ", too: only one may have it, unless their networks have nothing to do with each other"
		moves  = "virtualIp: {address: 10.77.0.50}"
	)
	assert.Empty(t, says(postgresCluster, moves))
	assert.Empty(t, says(postgresCluster, moves), "it is the same component")
	at := func(ip string) string {
		return "libvirt: {volumeId: /pool/" + ip + ".qcow2, cloudInitVolumePool: default, networks: [{networkName: default, ip: " + ip + ", prefixLength: 24}]}"
	}
	assert.Equal(t, []string{`libvirt.networks[0].ip: "10.77.0.50" is an address of quorum:PostgresCluster "main"` + unless}, says(corednsServer, at("10.77.0.50")))
	other := postgresLoadBalancer
	assert.Equal(t, []string{
		`libvirt.networks[0].ip: "10.77.0.41" is an address of quorum:PostgresCluster "main"` + unless,
		`virtualIp.address: "10.77.0.50" is an address of quorum:PostgresCluster "main"` + unless,
	}, says(other, moves+"\n"+at("10.77.0.41")))
	one, two := postgresLoadBalancer, postgresLoadBalancer
	one.name, two.name = "lb-1", "lb-2"
	const shared = "virtualIp: {address: 10.77.0.60}\n"
	assert.Empty(t, says(one, shared+at("10.77.0.61")))
	assert.Empty(t, says(two, shared+at("10.77.0.62")), "load balancers share it")
	assert.Equal(t, []string{`libvirt.volumeId: "/pool/10.77.0.61.qcow2" is a volume of quorum:PostgresLoadBalancer "lb-1", too: only one may have it, unless they are on two hypervisors`},
		says(postgresLoadBalancer, strings.ReplaceAll(at("10.77.0.63"), "/pool/10.77.0.63.qcow2", "/pool/10.77.0.61.qcow2")))
}
