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
	a.Describe(&g, `What a PostgresCluster has for each of its nodes. It is deleted before the node's machine is, and only once the other nodes can do without the node, as a PostgresHealth with `+"`without`"+` has it: asked right then, whatever passed in an earlier update. It waits for 10 minutes at most, or as `+"`customTimeouts`"+` say. With `+"`pulumi destroy`"+` nobody is asked.`)
}

// Annotate describes g.
func (g *GuardArgs) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "Name of the cluster's first PostgresHealth, which has the rest: the nodes, and how they are asked.")
	a.Describe(&g.Node, "The node.")
	a.Describe(&g.Machine, "Id of its machine. While that is being replaced, so is the guard, and first.")
	a.Describe(&g.Data, "Id of what the node's data lie on. Where that is replaced along with the machine, another node must have the data, or the cluster allow their loss.")
}

// Annotate describes g.
func (g *GuardState) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "The gate given.")
	a.Describe(&g.Node, "The node given.")
	a.Describe(&g.Machine, "The machine given.")
	a.Describe(&g.Data, "The data given.")
}
