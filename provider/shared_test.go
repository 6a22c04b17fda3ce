package provider

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// parts are the lists of a cluster's machines, and what each of these is.
var parts = map[component]map[string]component{
	etcdCluster:     {"members": etcdServer},
	postgresCluster: {"nodes": postgresServer, "loadBalancers": postgresLoadBalancer},
}

// TestClusterInputs changes each input that a cluster shares with its machines, and
// has it unknown: in either case each machine that has the input must notice.
func TestClusterInputs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/shared.yaml")
	require.NoError(t, err)
	var rows map[string][]yaml.Node
	require.NoError(t, yaml.Unmarshal(text, &rows))
	for c := range parts {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			w, base := newWire(t), c.quick(t, c.base)
			machines, tried := machinesOf(t, c, base), map[string]bool{}
			was := w.construct(t, c, base, false)
			require.NoError(t, was.err)
			for _, more := range others(t, c, rows[c.kind]) {
				is := w.construct(t, c, c.with(base, more), false)
				require.NoError(t, is.err, more)
				planned := w.construct(t, c, c.with(base, more), true)
				for _, m := range machines {
					assert.Truef(t, !m.has(more) || m.differs(was, is), "%s: %v", m.name, more)
				}
				for _, path := range leaves(property.New(more), nil) {
					tried[textOf(path[:1])], tried[textOf(path[:min(2, len(path))])] = true, true
					vague := w.construct(t, c, c.with(base, replaced(property.New(more), path, unknown).AsMap()), true)
					require.NoError(t, vague.err, more)
					for _, m := range machines {
						assert.Truef(t, !m.has(more) || m.vague(vague) > m.vague(planned), "%s, which must not know %s", m.name, textOf(path))
					}
				}
			}
			for _, input := range shared(t, c) {
				assert.Truef(t, tried[input], "neither testdata/shared.yaml nor a case everything of its machines has %s", input)
			}
		})
	}
}

// others are other values for the inputs that a cluster shares with its machines: those of
// rows, and for an input that these lack the one in the case everything of a machine.
func others(t *testing.T, c component, rows []yaml.Node) (all []property.Map) {
	has := map[string]bool{}
	for _, node := range rows {
		all = append(all, overlay(t, node))
		for _, path := range leaves(property.New(all[len(all)-1]), nil) {
			has[textOf(path[:1])] = true
		}
	}
	for _, part := range parts[c] {
		everything := part.inputs(t, "everything")
		for _, input := range shared(t, c) {
			if value, given := everything.GetOk(input); given && !has[input] {
				all, has[input] = append(all, property.NewMap(map[string]property.Value{input: value})), true
			}
		}
	}
	return all
}

// TestClusterGroups has what a cluster says of its security groups unknown: these must not
// know it either.
func TestClusterGroups(t *testing.T) {
	t.Parallel()
	w, in := newWire(t), etcdCluster.quick(t, "openstack")
	groups := clusterMachine{name: etcdCluster.name + "-security-groups"}
	planned := w.construct(t, etcdCluster, in, true)
	require.NoError(t, planned.err)
	for _, path := range [][]any{{"namespace"}, {"adminNetworks", 0}, {"metricsGroupIds", 0}} {
		vague := w.construct(t, etcdCluster, replaced(property.New(in), append([]any{"securityGroups"}, path...), unknown).AsMap(), true)
		require.NoError(t, vague.err)
		assert.Greaterf(t, groups.vague(vague), groups.vague(planned), "%v", path)
	}
}

// with are inputs of a cluster with more laid over them, and over each machine.
func (c component) with(in, more property.Map) property.Map {
	each, has := more.GetOk("machine")
	if !has {
		return merge(in, more)
	}
	for list := range parts[c] {
		items := slices.Clone(in.Get(list).AsArray().AsSlice())
		for i, item := range items {
			items[i] = property.New(merge(item.AsMap(), each.AsMap()))
		}
		in = in.Set(list, property.New(items))
	}
	return in
}

// shared are the inputs that a cluster has as its machines have them, and below
// such as are of another type there, their own.
func shared(t *testing.T, c component) (all []string) {
	r := newReference(t)
	for _, part := range parts[c] {
		for name, of := range r.inputs(part.kind).Properties {
			mine, has := r.inputs(c.kind).Properties[name]
			switch {
			case !has || name == "libvirt" || name == "openstack": // see TestAlike: these are laid under those of each machine
			case name == "tls": // that of a cluster is of its authority and of root
			case name == "allowDataLoss": // a cluster's is that of its gates, which know of other copies
			case mine.Ref == of.Ref:
				all = append(all, name)
			default:
				for below := range r.Types[strings.TrimPrefix(mine.Ref, "#/types/")].Properties {
					all = append(all, joined(name, below))
				}
			}
		}
	}
	return append(all, "machine.libvirt")
}

// clusterMachine is one of a cluster's machines.
type clusterMachine struct {
	name   string // that those of its resources begin with
	inputs map[string]bool
}

func machinesOf(t *testing.T, c component, in property.Map) (all []clusterMachine) {
	r := newReference(t)
	for list, part := range parts[c] {
		inputs := map[string]bool{"machine": true, "initialToken": true}
		for name := range r.inputs(part.kind).Properties {
			inputs[name] = true
		}
		for _, item := range in.Get(list).AsArray().All {
			all = append(all, clusterMachine{c.name + "-" + item.AsMap().Get("name").AsString(), inputs})
		}
	}
	return all
}

// has reports whether the machine has what is given.
func (m clusterMachine) has(more property.Map) bool {
	for name := range more.All {
		return m.inputs[name]
	}
	return false
}

// resources are those that the machine is made of.
func (m clusterMachine) resources(of outcome) map[string]resource.PropertyMap {
	all := map[string]resource.PropertyMap{}
	for name, in := range of.children {
		if strings.HasPrefix(name, m.name+"-") && !strings.Contains(name, " (quorum:") {
			all[name] = in
		}
	}
	return all
}

func (m clusterMachine) differs(was, is outcome) bool {
	before, after := m.resources(was), m.resources(is)
	for name, in := range before {
		if !after[name].DeepEquals(in) {
			return true
		}
	}
	return len(before) != len(after)
}

// vague is how many inputs of the machine's resources are unknown.
func (m clusterMachine) vague(of outcome) (count int) {
	for _, in := range m.resources(of) {
		for _, v := range in {
			if v.ContainsUnknowns() {
				count++
			}
		}
	}
	return count
}

// leaves are the paths of the values in v that have none below them.
func leaves(v property.Value, path []any) (all [][]any) {
	switch {
	case v.IsMap():
		for name, inner := range v.AsMap().All {
			all = append(all, leaves(inner, below(path, name))...)
		}
	case v.IsArray():
		for i, inner := range v.AsArray().All {
			all = append(all, leaves(inner, below(path, i))...)
		}
	default:
		return [][]any{path}
	}
	return all
}

func textOf(path []any) (text string) {
	for _, step := range path {
		if name, is := step.(string); is {
			text = joined(text, name)
		}
	}
	return text
}
