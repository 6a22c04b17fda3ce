package health

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Guard)(nil)
	_ infer.Annotated = (*GuardArgs)(nil)
	_ infer.Annotated = (*GuardState)(nil)
)

// Annotate describes g.
func (g *Guard) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresGuard")
	a.Describe(&g, `Prevents the machine of a PostgreSQL node from being destroyed while the cluster needs it. A PostgresCluster creates one for each node. An update deletes the guard before the node's machine; the deletion waits until the cluster can do without the node, as a PostgresHealth with `+"`without`"+` does, for at most 10 minutes or as `+"`customTimeouts`"+` say. Each update checks this again. `+"`pulumi destroy`"+` skips the check, and fails with `+"`shared`"+`.`)
}

// Annotate describes g.
func (g *GuardArgs) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "Name of the cluster's first PostgresHealth, which has the nodes and the certificates to connect to them.")
	a.Describe(&g.Node, "The node that runs on the machine.")
	a.Describe(&g.Machine, "Id of its machine. When that is replaced, so is the guard, before it.")
	a.Describe(&g.Data, "Id of the volume that has the node's data. If it is replaced along with the machine, another node must have the data, or `allowDataLoss` be on.")
	a.Describe(&g.Shared, "Whether other nodes are external. Then the machine is not deleted together with the gate, as by a destroy: the external nodes would lose the leader, or the one that has all commits.")
}

// Annotate describes g.
func (g *GuardState) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "The gate given.")
	a.Describe(&g.Node, "The node given.")
	a.Describe(&g.Machine, "The machine given.")
	a.Describe(&g.Data, "The data given.")
	a.Describe(&g.Shared, "Whether other nodes are external.")
}
