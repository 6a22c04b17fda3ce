package fromterraform

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stateOf reads a state of testdata in which texts are others.
func stateOf(t *testing.T, name string, texts ...string) []Resource {
	t.Helper()
	text, err := os.ReadFile("testdata/states/" + name + "/terraform.tfstate")
	require.NoError(t, err)
	for i := 0; i < len(texts); i += 2 {
		require.Contains(t, string(text), texts[i])
	}
	all, err := Read(strings.NewReader(strings.NewReplacer(texts...).Replace(string(text))))
	require.NoError(t, err)
	return all
}

// copied are resources with other texts.
func copied(t *testing.T, all []Resource, texts ...string) (again []Resource) {
	t.Helper()
	text, err := json.Marshal(all)
	require.NoError(t, err)
	d := json.NewDecoder(strings.NewReader(strings.NewReplacer(texts...).Replace(string(text))))
	d.UseNumber()
	require.NoError(t, d.Decode(&again))
	return again
}

// onWords has what is written between two texts, without the line breaks.
func onWords(text, from, to string) string {
	_, text, _ = strings.Cut(text, from)
	text, _, _ = strings.Cut(text, to)
	return strings.Join(strings.Fields(text), " ")
}

// twoOfPostgres are two clusters under one authority, each with a load balancer.
func twoOfPostgres(t *testing.T, serves string) []Resource {
	all := stateOf(t, "platform")
	var crm []Resource
	for _, r := range all {
		if strings.HasPrefix(r.Module, "module.postgres") || r.Module == "module.lb" {
			crm = append(crm, r)
		}
	}
	const config = "defaults\n  mode tcp\n  timeout client 60s\n  timeout server 60s\n  timeout connect 15000\n  timeout check 15s\nresolvers internal\n  nameserver a 10.1.0.53:53\n  timeout retry 1s\nbackend postgres\n"
	return append(all, copied(t, crm, b64(config+"  server-template nodes 5 server.shop.example:5432 check check-ssl resolvers internal"), b64(config+"  "+serves), "/etc/postgres/tls/server.crt", "/somewhere.crt", "shop", "crm", "10.1.1.2", "10.1.2.2", "10.1.0.40", "10.1.0.41", "lb-1", "lb-2", "postgres-", "crm-",
		"module.lb", "module.lb2", "module.postgres", "module.crm", ".iso;", ".iso;2")...)
}

// TestLoadBalancersOfTwoClusters goes by what each serves, where the authority is the same.
func TestLoadBalancersOfTwoClusters(t *testing.T) {
	t.Parallel()
	made, err := Convert("x", twoOfPostgres(t, "server-template nodes 5 server.crm.example:5432"))
	require.NoError(t, err)
	program := string(made.Text)
	shop := onWords(program, "\n  postgres-shop:", "\n  postgres-crm:")
	assert.Contains(t, shop, "name: lb-1 external: true")
	assert.NotContains(t, onWords(program, "\n  postgres-crm:", "\n  #"), "name: lb-1")
	assert.NotContains(t, shop, "name: lb-2", "no certificate names what it serves")
	assert.Contains(t, strings.Join(strings.Fields(strings.ReplaceAll(program, "#", "")), " "),
		"module.lb2.libvirt_domain.lb: it may be of postgres-shop or postgres-crm, which have its authority, going by what HAProxy serves: server.crm.example.")

	made, err = Convert("x", twoOfPostgres(t, "server first 10.1.2.21:5432"))
	require.NoError(t, err)
	assert.Contains(t, onWords(string(made.Text), "\n  postgres-crm:", "\n  #"), "name: lb-2 external: true")
}

// TestServersOfLoadBalancer are nodes, or not.
func TestServersOfLoadBalancer(t *testing.T) {
	t.Parallel()
	at := func(ip string) []*node { return []*node{{Machine: &Machine{}, ip: ip}} }
	clusters, names := [][]*node{at("10.0.0.1"), at("10.0.1.1")}, []string{"a", "b"}
	balancers := []*balancer{
		{Machine: &Machine{}, servers: []string{"10.0.1.1"}}, {Machine: &Machine{}, servers: []string{"10.0.9.1"}}, {Machine: &Machine{}, servers: []string{"10.0.0.1", "10.0.1.1"}},
	}
	own, others := assign(balancers, clusters, names)
	assert.Empty(t, own[0])
	assert.Equal(t, balancers[:1], own[1])
	require.Len(t, others, 2)
	assert.Contains(t, others[1].why, "a or b")
	own, others = assign(balancers[1:2], clusters[:1], names)
	assert.Empty(t, own[0], "it serves others")
	assert.Len(t, others, 1)
}
