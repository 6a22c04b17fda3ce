//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testPlatformPatchDay has all machines of etcd and PostgreSQL upgrade what they run, one after the other.
func testPlatformPatchDay(t *testing.T, p platform) {
	r := newRepository(t)
	for _, machine := range p.machines() {
		r.use(t, machine)
	}
	etcd, patroni, postgres, haproxy := r.packaged(t, "etcd-server"), r.packaged(t, "patroni"), r.packaged(t, "postgresql-17"), r.packaged(t, "haproxy")
	r.publish(t, etcd.as("+quorum1"), patroni.as("+quorum1"), postgres.as("+quorum1"), haproxy.as("+quorum1"))
	processes, balancers := p.processes(t), []string{mainProcess(t, loadBalancer, "haproxy"), mainProcess(t, secondBalancer, "haproxy")}
	began := map[string]string{}
	for _, node := range nodes {
		began[node] = psql(t, node, "SELECT pg_postmaster_start_time()")
	}
	settled(t)
	const ofTimeline = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"
	timeline := p.database.must(t, ofTimeline)
	p.whileWriting(t, func() {
		for _, name := range []string{"etcd", "postgres"} {
			p.edit(t, name, clusterInput, fmt.Sprintf("      installDependencies: true\n      aptProxy: %q\n      software: {asOf: \"2025-01-05\"}\n", must(t, "apt-proxy")))
			assert.Contains(t, p.stack(name).Preview().Diagnostics, "restart: patch day: packages")
			begun := time.Now()
			p.stack(name).Up()
			t.Logf("%s: patched in %s", name, time.Since(begun).Round(time.Second))
		}
	})
	for machine, process := range p.processes(t) {
		assert.NotEqual(t, processes[machine], process, machine)
	}
	for _, node := range nodes {
		assert.Contains(t, said(t, node), "patroni: "+patroni.version+" -> "+patroni.version+"+quorum1")
		assert.Contains(t, said(t, node), "postgresql-17: "+postgres.version+" -> ")
		assert.NotEqual(t, began[node], psql(t, node, "SELECT pg_postmaster_start_time()"), "PostgreSQL runs what came")
	}
	settled(t)
	assert.Greater(t, p.database.must(t, ofTimeline), timeline, "who led has handed over before its turn")
	for i, machine := range []string{loadBalancer, secondBalancer} {
		assert.Contains(t, said(t, machine), "haproxy.service: reloads")
		assert.Equal(t, balancers[i], mainProcess(t, machine, "haproxy"), "it keeps its connections")
	}
	for _, name := range []string{"etcd", "postgres"} {
		p.edit(t, name, clusterInput, clusterInput)
		p.stack(name).Up()
	}
	_, err := hardware.do("exec", nodes[0], "test", "-e", "/etc/quorum-software")
	require.Error(t, err, "it is taken out")
}
