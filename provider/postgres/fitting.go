package postgres

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/change"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
)

// fittingServer are the parameters that follow from a node's machine, as far as it is known here: an instance has what
// its flavor says, and finds that out itself.
func fittingServer(in inputs.Inputs[PostgresServerArgs]) map[string]string {
	all := map[string]string{}
	if tellsParams(in) {
		in.Args.fitting("", in.Known(paramsPath) && knowsMachine(in, ""), all)
	}
	return all
}

// fittingNodes are those of all nodes of a cluster.
func fittingNodes(in inputs.Inputs[PostgresClusterArgs]) map[string]string {
	all := map[string]string{}
	if !tellsParams(in) {
		return all
	}
	known := in.Known(paramsPath) && knowsMachine(in, "")
	for i, n := range in.Args.Nodes {
		if n.Name != "" && !n.isExternal() {
			in.Args.node(i).To().fitting("nodes["+n.Name+"].", known && knowsMachine(in, fmt.Sprintf("nodes[%d].", i)), all)
		}
	}
	return all
}

var paramsPath = strings.TrimSuffix(params, ".")

// knowsMachine reports whether what the settings of a machine follow from is known, as far as it is given.
func knowsMachine[A any](in inputs.Inputs[A], at string) bool {
	return !slices.ContainsFunc([]string{"libvirt.memory", "libvirt.vcpus", "libvirt.dataVolume.size", "openstack.dataVolume.size"}, func(path string) bool {
		return !in.Known(at + path)
	})
}

// tellsParams reports whether what is given may be told.
func tellsParams[A any](in inputs.Inputs[A]) bool {
	for path, hash := range in.Settings().Secret {
		if hash != "" && strings.HasPrefix(path+".", params) { // without one it is not known yet
			return false
		}
	}
	return true
}

func (a PostgresServerArgs) fitting(prefix string, known bool, all map[string]string) {
	if !known {
		all[prefix+strings.TrimSuffix(change.Follows, ".")] = "" // all of it
		return
	}
	on := a.Backend()
	for name, value := range a.node().Fitting(patroni.Machine{Memory: on.MemoryBytes(), Disk: on.DataBytes(), Processors: on.Processors()}) {
		all[prefix+change.Follows+name] = value
	}
}
