//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connections is where the program has a parameter that needs a restart.
const connections = "max_connections: 200\n"

// testConfiguration has the programs themselves judge what they are given.
func testConfiguration(t *testing.T, p platform) {
	for _, machine := range nodes {
		keepsSecrets(t, machine, "PRIVATE KEY", "/etc/patroni/tls/server.key", "/etc/patroni/tls/client.key")
		for _, password := range []string{"superuserPassword", "replicatorPassword"} {
			keepsSecrets(t, machine, p.postgres.Output(password), "/etc/patroni/conf.yml")
		}
		// Debian 12's Patroni 3.0 takes its own listening ports for taken ones, and has no option against it.
		on(t, machine, "runuser", "-u", "postgres", "--", "sh", "-c", `! patroni --help | grep -q -- --ignore-listen-port ||
			PATRONI_POSTGRESQL_BIN_DIR=$(echo /usr/lib/postgresql/*/bin) patroni --validate-config --ignore-listen-port /etc/patroni/conf.yml`)
	}
	assert.Empty(t, on(t, loadBalancer, "sh", "-c", "grep -rlsF 'PRIVATE KEY' /etc/haproxy /var/lib/quorum || true"), "it has no key")
	on(t, loadBalancer, "haproxy", "-c", "-f", "/etc/haproxy/haproxy.cfg")
	assert.Equal(t, "haproxy", on(t, loadBalancer, "sh", "-c", "ps -o user= -C haproxy | sort -u"), "all processes")
	boxed(t, loadBalancer, "3.0", "haproxy")
	boxed(t, "dns-1", "3.0", "coredns", "coredns-updater")
	boxed(t, nodes[0], "3.0", "patroni-settings")
	boxed(t, nodes[0], "4.5", "patroni")
	for _, machine := range p.machines() {
		assert.Contains(t, on(t, machine, "systemd-analyze", "cat-config", "systemd/journald.conf"), "SystemMaxUse=1G", machine)
		assert.Contains(t, on(t, machine, "sh", "-c", "mkdir -p /run/sshd && sshd -T"), "allowusers ubuntu", machine)
	}
	keepsSecrets(t, "dns-1", corednsPassword, "/etc/coredns-updater/etcd-password")
}

// testParams has a parameter reach the running cluster that needs a restart,
// and times by which another node takes over sooner.
func testParams(t *testing.T, p platform) {
	p.edit(t, "postgres", patroniInput, patroniInput+"        ttl: 20\n        loopWait: 5\n        retryTimeout: 7\n")
	p.edit(t, "postgres", connections, "max_connections: 150\n")
	assert.Empty(t, replaced(p.postgres.Up()))
	assert.Equal(t, "200", p.database.must(t, "SHOW max_connections"), "it needs a restart")
	wait(t, "the restart to be pending", func() error {
		now, err := roles()
		if err == nil && (len(now["Leader"]) != 1 || now["Leader"][0].Pending == "") {
			err = fmt.Errorf("the roles are %v", now)
		}
		return err
	})
	out, err := patronictl("restart", "platform", "--pending", "--force")
	require.NoError(t, err, out)
	p.shows(t, "max_connections", "150")
	settled(t)
	p.appliesRestarts(t)
}

// appliesRestarts has updates restart PostgreSQL themselves: by a switchover where a parameter is
// raised, and where the leader is if it is lowered.
func (p platform) appliesRestarts(t *testing.T) {
	t.Helper()
	const patroniSettings, applies = "      patroni:\n", "      applyPendingRestarts: true\n"
	p.edit(t, "postgres", patroniSettings, applies+patroniSettings)
	p.edit(t, "postgres", connections, "max_connections: 250\n")
	leader, _ := settled(t)
	assert.Contains(t, p.postgres.Preview().Diagnostics, "then PostgreSQL restarts for max_connections, on one node after the other")
	assert.Empty(t, replaced(p.postgres.Up()))
	p.shows(t, "max_connections", "250")
	raised, _ := settled(t)
	assert.NotEqual(t, leader, raised, "it handed over")
	p.edit(t, "postgres", connections, "max_connections: 150\n")
	assert.Empty(t, replaced(p.postgres.Up()))
	p.shows(t, "max_connections", "150")
	lowered, _ := settled(t)
	assert.Equal(t, raised, lowered, "it was restarted where it is")
	now, err := roles()
	require.NoError(t, err)
	for _, members := range now {
		for _, m := range members {
			assert.Empty(t, m.Pending, m.Member)
		}
	}
	assert.True(t, p.postgres.Up().Unchanged())
	p.edit(t, "postgres", patroniSettings, patroniSettings)
	p.postgres.Up()
}

// testPasswords has both passwords change, and a replica log in again.
func testPasswords(t *testing.T, p platform) {
	const node, parameters = "{name: postgres-1, ip: \"${subnet}.31\"", "        params:\n"
	passwords := "        superuserPassword: another-superuser\n        replicatorPassword: another-replicator\n"
	p.edit(t, "postgres", parameters, passwords+parameters)
	p.edit(t, "postgres", node, node+", libvirt: {memory: 1100}")
	assert.Contains(t, p.postgres.PreviewFails().Diagnostics, "postgres: passwords must not change in an update that rebuilds "+nodes[0])
	p.edit(t, "postgres", node, node)
	before, last := p.processes(t), database{ca: p.database.ca, password: p.database.password}
	p.live(t, "postgres")
	assert.Equal(t, before, p.processes(t), "nothing restarts")
	_, err := last.query(primaryPort, "SELECT 1")
	require.ErrorContains(t, err, "password authentication failed")
	p.database.password = p.postgres.Output("superuserPassword")
	p.database.works(t)
	_, standby := settled(t)
	out, err := patronictl("restart", "platform", standby, "--force")
	require.NoError(t, err, out)
	settled(t)
}

// shows waits until the primary has a parameter.
func (p platform) shows(t *testing.T, name, value string) {
	t.Helper()
	wait(t, name, func() error {
		out, err := p.database.query(primaryPort, "SHOW "+name)
		if err == nil && out != value {
			err = errors.New("it is " + out)
		}
		return err
	})
}
