package provider

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	rpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	"gopkg.in/yaml.v3"
)

// TestEachChangeOfAClusterIsTold writes what a preview says of each change of the table in docs/day-2.md, made to a
// cluster: to all of it where it has the input, and else to its first machine.
func TestEachChangeOfAClusterIsTold(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/changes.yaml")
	require.NoError(t, err)
	for _, c := range []struct {
		component
		more        string   // inputs of it
		list, first string   // of its machines, and the address of the first one
		kinds       []string // of the table
		servers     []string // rows that only servers have
	}{
		{etcdCluster, "members: [" + manyOf("etcd-%d", 11) + "]", "members", "10.77.0.11", []string{"every server", "EtcdServer"}, []string{"`auth`", "`cluster`"}},
		{postgresCluster, "nodes: [" + manyOf("postgres-%d", 31) + "]", "nodes", "10.77.0.31", []string{"every server", "PostgresServer", "PostgresLoadBalancer", "PostgresCluster"}, []string{"`poolerPort`, added or taken away", "`virtualIp`, added or taken away", "`joins` taken out", "`clientCert`, `clientKey`"}},
	} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			var kinds []changing
			require.NoError(t, yaml.Unmarshal([]byte(strings.ReplaceAll(string(text), "10.77.0.11", c.first)), &kinds))
			has := newReference(t).inputs(c.kind).Properties
			var b strings.Builder
			w := newWire(t)
			for _, kind := range kinds {
				if !slices.Contains(c.kinds, kind.Kind) {
					continue
				}
				for _, row := range kind.Rows {
					base, is := c.laid(merge(c.inputs(t, c.base), readInputs(t, c.more)), overlay(t, row.Before), c.list, has)
					told := false
					for _, node := range row.Changes {
						changed, can := c.laid(base, overlay(t, node), c.list, has)
						if !is || !can || !row.Leaf && property.New(base).Equals(property.New(changed)) {
							continue
						}
						w.world.leaf = ""
						was := w.construct(t, c.component, base, false)
						require.NoError(t, was.err)
						w.world.leaf = map[bool]string{true: "other.crt"}[row.Leaf]
						said, known := c.tells(t, w, was, changed)
						if !known {
							continue
						}
						assert.NotEmpty(t, said, row.What)
						assert.LessOrEqual(t, strings.Count(said, "\n"), 20, "it is at most a screen: %s", said)
						fmt.Fprintf(&b, "# %s\n%s\n\n", row.What, said)
						told = true
						break // the others do the same
					}
					assert.Equal(t, !told, slices.Contains(c.servers, row.What), row.What)
				}
			}
			golden(t, "testdata/"+c.folder+"/changes.txt", b.String())
		})
	}
}

// manyOf are three machines with data volumes.
func manyOf(name string, address int) string {
	var all []string
	for i := range 3 {
		all = append(all, fmt.Sprintf("{name: "+name+", libvirt: {volume: {pool: default, baseVolumeName: debian-13}, dataVolume: {pool: default, size: 10737418240}, "+
			"cloudInitVolumePool: default, networks: [{networkName: default, ip: 10.77.0.%d, prefixLength: 24, gateway: 10.77.0.1}]}}", i+1, address+i))
	}
	return strings.Join(all, ", ")
}

// laid is a change of a server laid over a cluster, if that has such an input.
func (c component) laid(over, more property.Map, list string, has map[string]schema.PropertySpec) (property.Map, bool) {
	for key, value := range more.All {
		_, shared := has[key]
		switch {
		case key == "libvirt" || key == "openstack" || key == "sshAdminUser" && !shared:
			machines := over.Get(list).AsArray().AsSlice()
			first := machines[0].AsMap()
			if value.IsMap() && first.Get(key).IsMap() {
				for _, named := range []string{"volume", "dataVolume"} {
					if _, byID := value.AsMap().GetOk(named + "Id"); byID { // one or the other
						first = first.Set(key, property.New(first.Get(key).AsMap().Delete(named)))
					}
				}
			}
			machines[0] = property.New(merge(first, property.NewMap(map[string]property.Value{key: value})))
			over = over.Set(list, property.New(machines))
		case shared:
			over = merge(over, property.NewMap(map[string]property.Value{key: value}))
		default:
			return over, false
		}
	}
	return over, true
}

// tells is what a preview says of a change, if the cluster has such inputs: the engine comes to the machines, and then
// to their cluster.
func (c component) tells(t *testing.T, w *wire, was outcome, now property.Map) (string, bool) {
	t.Helper()
	if err := w.construct(t, c, now, true).err; err != nil {
		require.ErrorContains(t, err, "is not known here")
		return "", false
	}
	// The provider notes what it has heard by components: each change is in another one.
	within := fmt.Sprintf("acme:index:Platform%d$quorum:index:%s$", w.seen, c.kind)
	object := func(m resource.PropertyMap) *structpb.Struct {
		s, err := plugin.MarshalProperties(m, plugin.MarshalOptions{KeepUnknowns: true, KeepSecrets: true, KeepResources: true})
		require.NoError(t, err)
		return s
	}
	for _, child := range w.world.order {
		above, ours := map[string]string{
			"quorum:index:MachineChange": within + "quorum:index:Server$", "quorum:index:ClusterChange": within,
		}[child.TypeToken]
		if !ours {
			continue
		}
		urn := "urn:pulumi:stack::project::" + above + child.TypeToken + "::" + child.Name
		in, failures, err := w.check(t, urn, nil, object(child.Inputs))
		require.NoError(t, err)
		require.Empty(t, failures)
		old, had := was.children[child.Name+" ("+child.TypeToken+")"]
		if !had {
			_, err = w.server.Create(t.Context(), &rpc.CreateRequest{Urn: urn, Name: child.Name, Type: child.TypeToken, Properties: in, Preview: true})
			require.NoError(t, err)
			continue
		}
		state := object(old)
		diff, err := w.server.Diff(t.Context(), &rpc.DiffRequest{Id: child.Name, Urn: urn, Name: child.Name, Type: child.TypeToken, Olds: state, OldInputs: state, News: in})
		require.NoError(t, err)
		if diff.GetChanges() != rpc.DiffResponse_DIFF_NONE {
			_, err = w.server.Update(t.Context(), &rpc.UpdateRequest{Id: child.Name, Urn: urn, Name: child.Name, Type: child.TypeToken, Olds: state, OldInputs: state, News: in, Preview: true})
			require.NoError(t, err)
		}
	}
	return strings.TrimSpace(strings.Join(w.logged(), "\n")), true
}
