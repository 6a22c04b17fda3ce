package postgres

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// gate registers a PostgresHealth after what comes before it. The last one
// wants of all nodes, and one of a node wants of that, that their generations
// are in force.
func (r *postgresRoll) gate(ctx *pulumi.Context, suffix string, args quorum.PostgresHealthArgs, before ...pulumi.Resource) (*postgresHealth, error) {
	nodes := quorum.PostgresHealthNodeArray{}
	for i, n := range r.in.Args.Nodes {
		node := r.address(i)
		if generation, has := r.generations[n.Name]; has && (suffix == healthy || suffix == restarted || suffix == n.Name) {
			node.Generation, node.Restarts = generation.ToStringOutput(), r.restarts[n.Name].ToStringOutput()
		}
		nodes = append(nodes, node)
	}
	args.Nodes, args.SkipHealthChecks, args.AllowDataLoss = nodes, r.in.Bool("skipHealthChecks"), r.in.Bool("allowDataLoss")
	args.StandbyOf, args.StandbyBy = r.standbyOf()
	if reindexes := ptr.Value(r.in.Args.ReindexCollations); suffix == healthy || args.Node != nil || args.Without != nil && reindexes || args.Plan != nil && r.in.Args.hasExternal() {
		args.SuperuserPassword = r.passwords[superuserPassword]
		if reindexes {
			args.ReindexCollations = r.in.Bool("reindexCollations")
		}
	}
	args.CaCert, args.ClientCert, args.ClientKey = server.Trusted(r.in, r.ca.Cert), r.client.Cert, r.client.Key
	gate := &postgresHealth{}
	return gate, ctx.RegisterResource("quorum:index:PostgresHealth", r.cluster+"-"+suffix, args, gate, r.options(pulumi.DependsOn(before))...)
}

// restart registers the gate that has PostgreSQL take what waits for a restart, if the program
// says so. It is about all nodes, after all of them have changed: before that, replicas would not
// come first.
func (r *postgresRoll) restart(ctx *pulumi.Context, done *rolled) error {
	if !ptr.Value(r.in.Args.ApplyRestarts) {
		return nil
	}
	gate, err := r.gate(ctx, restarted, quorum.PostgresHealthArgs{
		ApplyPendingRestarts: r.in.Bool("applyPendingRestarts"), SynchronousStandbys: r.standbys(), Triggers: maps.Clone(r.machines),
	}, done.all...)
	if err == nil {
		done.add(gate)
	}
	return err
}

// address is where the i-th node's Patroni answers.
func (r *postgresRoll) address(i int) quorum.PostgresHealthNodeArgs {
	node := quorum.PostgresHealthNodeArgs{Name: r.in.RequiredString(check.Index("nodes", i) + ".name"), Ip: r.nodeIP(i), ApiPort: pulumi.Int(ports.Patroni)}
	if r.in.Args.Nodes[i].isExternal() {
		node.External = pulumi.Bool(true)
	}
	return node
}

// tell tells guards which nodes the program has, so that the machine of another
// does not go in an update that leaves out the gates.
func (r *postgresRoll) tell(ctx *pulumi.Context) error {
	if ctx.DryRun() {
		return nil
	}
	var nodes running.Parts
	for _, n := range r.in.Args.Nodes {
		nodes = append(nodes, n.Name)
	}
	return running.Tell(ctx, r.cluster+"-plan", nodes, pulumi.Parent(r.self), pulumi.Version(version.String()))
}

// guard registers what is deleted before the i-th node's machine: as soon as that is there,
// for a refresh that does not find a machine takes the dependencies on it out of the state.
func (r *postgresRoll) guard(ctx *pulumi.Context, i int, machine *PostgresServer) error {
	name := r.in.Args.Nodes[i].Name
	return ctx.RegisterResource("quorum:index:PostgresGuard", r.cluster+"-guard-"+name, quorum.PostgresGuardArgs{
		Gate: pulumi.String(r.cluster + "-plan"), Node: r.address(i), Machine: machine.MachineID, Data: machine.data, Shared: r.isShared(),
	}, &server.CustomResource{}, r.options(server.GuardOptions(r.opts, pulumi.DependsOn(machine.last))...)...)
}
