package provider

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// component is a resource whose cases lie in a folder of testdata.
type component struct {
	kind   string
	folder string
	base   string // the case that the others are laid over
	name   string // of the resource
}

var (
	etcdServer           = component{"EtcdServer", "etcd-server", "minimal-tls", "etcd-1"}
	corednsServer        = component{"CorednsServer", "coredns-server", "minimal", "dns-1"}
	postgresServer       = component{"PostgresServer", "postgres-server", "minimal-tls", "postgres-1"}
	postgresLoadBalancer = component{"PostgresLoadBalancer", "postgres-load-balancer", "minimal", "pg-lb"}
	components           = []component{etcdServer, corednsServer, postgresServer, postgresLoadBalancer}

	// clusters are made of the components above, which have the golden files of machines.
	etcdCluster     = component{"EtcdCluster", "etcd-cluster", "minimal", "main"}
	postgresCluster = component{"PostgresCluster", "postgres-cluster", "minimal", "main"}
	clusters        = []component{etcdCluster, postgresCluster}

	// securityGroups are a component without a machine.
	securityGroups = component{"EtcdSecurityGroups", "etcd-security-groups", "minimal", "etcd"}

	// customs are no components: they have inputs to refuse, and no children.
	customs = []component{
		{"EtcdUser", "etcd-user", "minimal", "patroni"},
		{"EtcdRole", "etcd-role", "minimal", "patroni"},
		{"EtcdKey", "etcd-key", "minimal", "leader"},
		{"EtcdHealth", "etcd-health", "minimal", "healthy"},
		{"EtcdMember", "etcd-member", "minimal", "etcd-2"},
		{"PostgresUser", "postgres-user", "minimal", "app"},
		{"PostgresDatabase", "postgres-database", "minimal", "shop"},
		{"PostgresGrant", "postgres-grant", "minimal", "reader"},
		{"PostgresHealth", "postgres-health", "minimal", "healthy"},
		{"DnsZone", "dns-zone", "minimal", "zone"},
		{"DnsHealth", "dns-health", "minimal", "served"},
		{"MachineChange", "machine-change", "minimal", "etcd-1"},
	}

	// guards are customs, guards and what says what changes, that clusters alone make: nobody needs an example of them.
	guards = []component{
		{"EtcdGuard", "etcd-guard", "minimal", "main-guard-etcd-1"},
		{"PostgresGuard", "postgres-guard", "minimal", "main-guard-postgres-1"},
		{"ClusterChange", "cluster-change", "minimal", "main"},
		{"DataGuard", "data-guard", "minimal", "etcd-1-data"},
		{"MachineIdentity", "machine-identity", "minimal", "etcd-1"},
	}
)

func TestEtcdServer(t *testing.T)           { t.Parallel(); etcdServer.testCases(t) }
func TestCorednsServer(t *testing.T)        { t.Parallel(); corednsServer.testCases(t) }
func TestPostgresServer(t *testing.T)       { t.Parallel(); postgresServer.testCases(t) }
func TestPostgresLoadBalancer(t *testing.T) { t.Parallel(); postgresLoadBalancer.testCases(t) }

func TestEtcdCluster(t *testing.T)        { t.Parallel(); etcdCluster.testCases(t) }
func TestPostgresCluster(t *testing.T)    { t.Parallel(); postgresCluster.testCases(t) }
func TestEtcdSecurityGroups(t *testing.T) { t.Parallel(); securityGroups.testCases(t) }

// inputs are those of a case: laid over those of the base.
func (c component) inputs(t testing.TB, name string) property.Map {
	t.Helper()
	read := func(name string) property.Map {
		b, err := os.ReadFile(filepath.Join("testdata", c.folder, name, "inputs.yaml"))
		require.NoError(t, err)
		return readInputs(t, string(b))
	}
	return merge(read(c.base), read(name))
}

// testCases compares what each case registers and delivers to its machine with
// the files beside its inputs.
func (c component) testCases(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join("testdata", c.folder, "*", "inputs.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			w := newWire(t)
			made := w.construct(t, c, c.inputs(t, filepath.Base(dir)), false)
			require.NoError(t, made.err)
			golden(t, filepath.Join(dir, "resources.yaml"), resources(t, w.world))
			golden(t, filepath.Join(dir, "outputs.yaml"), outputs(t, made.outputs))
			if slices.Contains(clusters, c) {
				golden(t, filepath.Join(dir, "order.txt"), w.world.steps())
			}
			delivered := c.deliveries(t, w.world)
			for name, text := range delivered {
				golden(t, filepath.Join(dir, name), text)
			}
			made = w.construct(t, c, c.inputs(t, filepath.Base(dir)), false)
			require.NoError(t, made.err)
			require.Equal(t, delivered, c.deliveries(t, w.world), "two renders differ")
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test with -update once")
	if string(want) != got {
		diff, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
			A: difflib.SplitLines(string(want)), B: difflib.SplitLines(got), FromFile: file, ToFile: "now", Context: 2,
		})
		t.Errorf("-update rewrites it:\n%s", diff)
	}
	require.NotContains(t, strings.ToLower(got), "%!", "a format went wrong")
}
