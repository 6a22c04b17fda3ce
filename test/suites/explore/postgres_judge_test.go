package explore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestJudgesOfDatabases has the judges of a PostgresCluster look at machines that
// went, and at nodes that are made up.
func TestJudgesOfDatabases(t *testing.T) {
	t.Parallel()
	ended := record(t, func(r *recorder) {
		r.trial = &trial{Stack: engine.New(r, engine.Options{Program: "resources: {}"}), tb: r}
		judgePostgres(r.trial, &postgresSubject{
			trial: r.trial, now: newPostgresProgram("127.0.0", 2), there: []string{"postgres-1", "postgres-2"},
			truth: &postgresTruth{systems: map[string]bool{"1": true}, addresses: func() map[string]string { return nil }},
		})
	}).ended()
	assert.Empty(t, ended.violation, ended.report())
}

func judgePostgres(t *trial, p *postgresSubject) {
	const machine, data = "a machine was touched that the others could not do without", "data were destroyed that the others could not do without"
	began := time.Now()
	for _, c := range []struct {
		healthy         map[string]string
		typ, name, want string
	}{
		{map[string]string{"postgres-1": "leader", "postgres-2": "replica"}, "Domain", "postgres-1", machine},
		{map[string]string{"postgres-1": "leader", "postgres-2": "replica"}, "Volume", "postgres-1-data.qcow2", data},
		{map[string]string{"postgres-1": "leader", "postgres-2": "replica"}, "Domain", "postgres-2", ""},
		{map[string]string{"postgres-1": "leader", "postgres-2": "replica"}, "Domain", "lb-1", ""},
		{map[string]string{"postgres-1": "leader", "postgres-2": "sync"}, "Domain", "postgres-1", ""},
		{map[string]string{"postgres-1": "leader"}, "Volume", "postgres-2-data.qcow2", ""},
		{map[string]string{}, "Domain", "postgres-2", machine},
	} {
		p.truth.samples = []postgresSample{{at: time.Now(), healthy: c.healthy, members: map[string]bool{"postgres-1": true, "postgres-2": true}}}
		t.finds(c.want, func() {
			defer t.World.Forget()
			require.NoError(t.tb, hypervisor.World(t.World.Dir()).Log(hypervisor.Event{Op: "delete", Phase: "end", Type: c.typ, Name: c.name}))
			p.safe(t, began)
		})
	}
	t.finds("the cluster is not what the program says", func() { p.whole(t) })
	p.truth.systems["2"] = true
	t.finds("two databases", func() { p.safe(t, began) })
}
