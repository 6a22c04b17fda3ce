//go:build e2e

package e2e

import "testing"

// testProcessesKilled has a program of the leader, or of the load balancer, die
// and come back by itself.
func testProcessesKilled(t *testing.T, p platform) {
	for _, killed := range []struct{ program, machine, script string }{
		{"PostgreSQL", "", "kill -KILL $(head -n 1 /var/lib/postgresql/data/postmaster.pid)"},
		{"Patroni", "", "systemctl kill --kill-whom=main --signal=KILL patroni"},
		{"HAProxy", loadBalancer, "systemctl kill --signal=KILL haproxy"},
	} {
		leader, _ := settled(t)
		if killed.machine == "" {
			killed.machine = leader
		}
		p.database.whileWriting(t, func() { on(t, killed.machine, "sh", "-c", killed.script) })
		now, _ := settled(t)
		t.Logf("%s killed on %s: %s led, and %s does", killed.program, killed.machine, leader, now)
	}
}
