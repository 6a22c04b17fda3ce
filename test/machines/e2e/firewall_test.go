//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// listener is a port of no service of the machines.
const listener = "8999"

// reaches reports whether a TCP connection to a port comes about: from a machine, or from the host.
func reaches(from, address, port string) error {
	command := []string{"timeout", "3", "bash", "-c", "exec 3<>/dev/tcp/" + address + "/" + port}
	if from == "" {
		_, err := sandbox(append([]string{"shell"}, command...)...)
		return err
	}
	_, err := hardware.do("exec", from, command...)
	return err
}

// testFirewall narrows, widens and removes the firewall of machines that run, while clients write.
func testFirewall(t *testing.T, p platform) {
	const member, exporter = "10.77.0.11", "9100"
	listen := func(machine, address string) {
		on(t, machine, "systemd-run", "--unit=listener", "python3", "-m", "http.server", listener)
		wait(t, "the listener", func() error { return reaches(machine, address, listener) })
	}
	listen(members[0], member)
	assert.Error(t, reaches("", member, listener))
	assert.NoError(t, reaches("dns-1", member, exporter))
	for _, machine := range p.machines() {
		assert.Contains(t, on(t, machine, "nft", "list", "table", "inet", "quorum"), "policy drop", machine)
	}
	before := p.processes(t)
	narrow := func(from string) {
		p.edit(t, "etcd", clusterInput, clusterInput+"      firewall:\n        allowedNetworks: {metrics: ["+from+"]}\n        additionalPorts: [{port: "+listener+"}]\n")
	}
	p.whileWriting(t, func() {
		// Made anew, it leaves alone what is open: replication, and Patroni's connections to etcd.
		for _, name := range []string{"etcd", "postgres"} {
			p.edit(t, name, clusterInput, clusterInput+"      firewall: {enabled: false}\n")
			p.live(t, name)
			p.edit(t, name, clusterInput, clusterInput)
			p.live(t, name)
		}
		narrow("10.77.0.99")
		assert.Contains(t, p.etcd.Preview().Diagnostics, "firewall.allowedNetworks.metrics: does not include 10.77.0.1, the address from which Pulumi runs")
		narrow("10.77.0.1")
		assert.NotContains(t, p.etcd.Preview().Diagnostics, "does not include")
		p.live(t, "etcd")
		assert.NoError(t, reaches("", member, listener))
		assert.NoError(t, reaches("", member, exporter))
		assert.Error(t, reaches("dns-1", member, exporter))
		assert.NoError(t, reaches("dns-1", member, "2379"))

		listen("dns-1", "10.77.0.21")
		assert.Error(t, reaches("", "10.77.0.21", listener))
		p.edit(t, "dns", dnsSetting, "      firewall: {enabled: false}\n"+dnsSetting)
		p.live(t, "dns")
		assert.NoError(t, reaches("", "10.77.0.21", listener))
	})
	assert.Equal(t, before, p.processes(t), "nothing restarts")
	on(t, members[0], "systemctl", "stop", "listener")
}
