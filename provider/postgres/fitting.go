package postgres

import (
	"maps"
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
		in.Args.fitting("", all)
	}
	return all
}

// fittingNodes are those of all nodes of a cluster.
func fittingNodes(in inputs.Inputs[PostgresClusterArgs]) map[string]string {
	all := map[string]string{}
	if !tellsParams(in) {
		return all
	}
	for i, n := range in.Args.Nodes {
		if n.Name != "" {
			in.Args.node(i).To().fitting("nodes["+n.Name+"].", all)
		}
	}
	return all
}

// tellsParams reports whether what is given is known, and may be told.
func tellsParams[A any](in inputs.Inputs[A]) bool {
	return in.Known(strings.TrimSuffix(params, ".")) && !slices.ContainsFunc(slices.Collect(maps.Keys(in.Settings().Secret)), func(path string) bool {
		return strings.HasPrefix(path+".", params)
	})
}

func (a PostgresServerArgs) fitting(prefix string, all map[string]string) {
	on := a.Backend()
	for name, value := range a.node().Fitting(patroni.Machine{Memory: on.MemoryBytes(), Disk: on.DataBytes(), Processors: on.Processors()}) {
		all[prefix+change.Follows+name] = value
	}
}
