package provider

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pmezard/go-difflib/difflib"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	machines "github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
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
		{"PostgresHealth", "postgres-health", "minimal", "healthy"},
		{"DnsZone", "dns-zone", "minimal", "zone"},
		{"DnsHealth", "dns-health", "minimal", "served"},
		{"MachineChange", "machine-change", "minimal", "etcd-1"},
	}

	// guards are customs that clusters alone make: nobody needs an example of them.
	guards = []component{
		{"EtcdGuard", "etcd-guard", "minimal", "main-guard-etcd-1"},
		{"PostgresGuard", "postgres-guard", "minimal", "main-guard-postgres-1"},
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

// outputs are those of the component, short of the generation: programs that
// are the same for all are part of it.
func outputs(t *testing.T, state resource.PropertyMap) string {
	text := toYAML(t, plain(resource.NewProperty(state)))
	return regexp.MustCompile(`(?m)^generation: [0-9a-f]{16}$`).ReplaceAllString(text, "generation: (hash)")
}

// resources are the children by name, without what deliveredTo gives.
func resources(t *testing.T, w *world) string {
	all := map[string]any{}
	for name, child := range w.children {
		in := child.Inputs.Copy()
		delete(in, "userData")
		delete(in, "networkConfig")
		delete(in, "metaData")
		all[name] = plain(resource.NewProperty(in))
	}
	// The state is named by its content, which our programs are part of.
	return regexp.MustCompile(`(generation: )[0-9a-f]{16}`).ReplaceAllString(toYAML(t, all), "$1(hash)")
}

// deliveries are what deliveredTo gives. Of the machines of a cluster it is the
// state, in a file that has the machine's name.
func (c component) deliveries(t *testing.T, w *world) map[string]string {
	all := map[string]string{}
	for _, name := range w.names() {
		for _, suffix := range []string{"-cloud-init", "-instance"} {
			machine, is := strings.CutSuffix(name, suffix)
			switch {
			case is && slices.Contains(clusters, c):
				all[strings.TrimPrefix(machine, c.name+"-")+".yaml"] = deliveredTo(t, w.child(t, name))["state.yaml"]
			case is:
				return deliveredTo(t, w.child(t, name))
			}
		}
	}
	return all
}

// deliveredTo is what the machine of a drive is handed, each part in its own
// file. Programs that are the same for all are left out.
func deliveredTo(t *testing.T, drive resource.PropertyMap) map[string]string {
	require.True(t, drive["userData"].IsSecret(), "user data must be secret")
	text := unpacked(t, secretText(drive["userData"]))
	require.LessOrEqual(t, len(packed(t, text)), openstack.MostUserData)
	var user cloudinit.UserData
	require.NoError(t, yaml.Unmarshal([]byte(text), &user))
	for _, file := range user.WriteFiles[:2] {
		require.Equal(t, "gz+b64", file.Encoding, file.Path)
	}
	files, err := machines.Files(text)
	require.NoError(t, err)
	require.Equal(t, guest.Apply, string(files[user.WriteFiles[0].Path]))
	require.Equal(t, "0600", user.WriteFiles[1].Permissions, "the state holds secrets")
	ca, err := os.ReadFile(filepath.Join("testdata", "pki", "ca.key"))
	require.NoError(t, err)
	key := strings.Split(string(ca), "\n")[1]
	require.NotContains(t, string(files[user.WriteFiles[1].Path]), key, "no machine has the key of an authority")
	var desired guest.State
	require.NoError(t, json.Unmarshal(files[user.WriteFiles[1].Path], &desired))
	for i, file := range desired.Files {
		switch name := filepath.Base(file.Path); name {
		case "check-corefile", "check-zone", "quorum-mirror", "quorum-patroni":
			desired.Files[i].Content, desired.Generation = "("+name+")", "(hash)"
		}
	}
	user.WriteFiles[0].Content, user.WriteFiles[1].Content = "(quorum-apply)", "(state.yaml)"
	shown, err := user.Marshal()
	require.NoError(t, err)
	all := map[string]string{"user-data.yaml": shown, "state.yaml": toYAML(t, asJSON(t, desired))}
	for key, file := range map[resource.PropertyKey]string{"networkConfig": "network-config.yaml", "metaData": "meta-data.yaml"} {
		if document, has := drive[key]; has { // an instance has them from OpenStack
			all[file] = secretText(document)
		}
	}
	return all
}

// packed is user data as Nova gets it.
func packed(t *testing.T, text string) string {
	file, err := cloudinit.WriteFile{Content: text}.Compressed()
	require.NoError(t, err)
	return file.Content
}

// unpacked does what cloud-init does to user data from OpenStack.
func unpacked(t *testing.T, text string) string {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return text
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	whole, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(whole)
}

// asJSON is v with the names that it has in JSON.
func asJSON(t *testing.T, v any) (out any) {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

func secretText(v resource.PropertyValue) string { return v.SecretValue().Element.StringValue() }

// plain writes a value for a golden file: secrets say that they are.
func plain(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return "[secret]"
	case v.IsOutput():
		if v.OutputValue().Secret {
			return "[secret]"
		}
		return plain(v.OutputValue().Element)
	case v.IsObject():
		m := map[string]any{}
		for key, e := range v.ObjectValue() {
			m[string(key)] = plain(e)
		}
		return m
	case v.IsArray():
		list := []any{}
		for _, e := range v.ArrayValue() {
			list = append(list, plain(e))
		}
		return list
	}
	return v.V
}

func toYAML(t *testing.T, v any) string {
	b, err := yaml.Marshal(v)
	require.NoError(t, err)
	return string(b)
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
