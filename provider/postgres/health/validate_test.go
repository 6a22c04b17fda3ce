package health_test

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBadInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 139, "postgres-1", "postgres-2")
	node := func(more ...any) map[string]any {
		n := map[string]any{"name": "postgres-3", "ip": "10.0.0.33"}
		for i := 0; i < len(more); i += 2 {
			n[more[i].(string)] = more[i+1]
		}
		return n
	}
	server, key := texts(t, w.ca.issue(t, "127.0.139.1"))
	balancers := []any{map[string]any{"endpoint": "10.0.0.40", "replicaEndpoint": "10.0.0.40:5433"}}
	for name, c := range map[string]struct {
		inputs []any
		want   []string
	}{
		"in order":          {[]any{"without", "postgres-1", "candidates", []any{"postgres-2"}, "synchronousStandbys", 1}, nil},
		"no nodes":          {[]any{"nodes", []any{}}, []string{"nodes: is required"}},
		"a node twice":      {[]any{"nodes", []any{node(), node()}}, []string{`nodes[1].name: must differ from nodes[0].name: both are "postgres-3"`, `nodes[1].ip: must differ from nodes[0].ip: both are "10.0.0.33:4443"`}},
		"a name as address": {[]any{"nodes", []any{node("ip", "db")}}, []string{`nodes[0].ip: must be an IP address, not "db"`}},
		"a port":            {[]any{"nodes", []any{node("apiPort", 0)}}, []string{"nodes[0].apiPort: must be from 1 to 65535, not 0"}},
		"a typo":            {[]any{"nodes", []any{node("aipPort", 1)}}, []string{"nodes[0].aipPort: is not known here. Did you mean apiPort? It has apiPort, external, generation, ip, name and restarts"}},
		"unknown names":     {[]any{"without", "a", "candidates", []any{"b"}}, []string{`without: must be the name of one of nodes (postgres-1, postgres-2), not "a"`, `candidates[0]: must be the name of one of nodes (postgres-1, postgres-2), not "b"`}},
		"an unknown node":   {[]any{"node", "a"}, []string{`node: must be the name of one of nodes (postgres-1, postgres-2), not "a"`}},
		"two kinds of gate": {[]any{"node", "postgres-1", "without", "postgres-1"}, []string{"node: must not be given together with without"}},
		"nobody to lead":    {[]any{"candidates", []any{"postgres-1"}}, []string{"candidates: is only for a gate with without"}},
		"too synchronous":   {[]any{"synchronousStandbys", 2}, []string{"synchronousStandbys: must be less than the number of nodes (2), and 0 or more, not 2"}},
		"a lead":            {[]any{"maximumLag", -1}, []string{"maximumLag: must be 0 (bytes) or more, not -1"}},
		"balancers of one":  {[]any{"node", "postgres-1", "loadBalancers", balancers}, []string{"loadBalancers: is only for a gate of all nodes, without node and without", `loadBalancers[0].endpoint: must be an IP address and a port, as in 10.0.0.1:2379, not "10.0.0.40"`}},
		"of a server":       {[]any{"clientCert", server, "clientKey", key}, []string{"clientCert: must be a certificate for client authentication"}},
		"another key":       {[]any{"clientKey", key}, []string{"clientKey: must be the key of the certificate"}},
		"in an emergency":   {[]any{"clientCert", server, "clientKey", key, "skipHealthChecks", true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checked, err := newGate(t, w.inputs()).Check(p.CheckRequest{Urn: gateURN, Inputs: toMap(w.inputs(c.inputs...))})
			require.NoError(t, err)
			var got []string
			for _, f := range checked.Failures {
				got = append(got, f.Reason)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestUnknownInputs is what a preview has while machines are to be made.
func TestUnknownInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 140, "postgres-1", "postgres-2")
	g := newGate(t, w.inputs())
	unknown := property.New(property.Computed)
	in := toMap(w.inputs("node", "postgres-1")).Set("clientKey", unknown.WithSecret(true)).
		Set("triggers", property.New(map[string]property.Value{"machine": unknown, "image": property.New("1")})).
		Set("nodes", property.New([]property.Value{property.New(map[string]property.Value{"name": property.New("postgres-1"), "ip": unknown})}))
	checked, err := g.Check(p.CheckRequest{Urn: gateURN, Inputs: in})
	require.NoError(t, err)
	require.Empty(t, checked.Failures)
	made, err := g.Create(p.CreateRequest{Urn: gateURN, Properties: checked.Inputs, DryRun: true})
	require.NoError(t, err)
	assert.True(t, made.Properties.Get("triggers").AsMap().Get("machine").IsComputed(), "%v", made.Properties)
	assert.Equal(t, "1", made.Properties.Get("triggers").AsMap().Get("image").AsString())
	assert.True(t, made.Properties.Get("leader").IsComputed())
}
