package postgres

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// gate registers a PostgresHealth after what comes before it. The last one
// wants of all nodes, and one of a node wants of that, that their generations
// are in force.
func (r *postgresRoll) gate(ctx *pulumi.Context, suffix string, args pulumi.Map, before ...pulumi.Resource) (*postgresHealth, error) {
	maps.Copy(args, r.asked())
	for i, n := range r.in.Args.Nodes {
		if generation, has := r.generations[n.Name]; has && (suffix == healthy || suffix == n.Name) {
			node := args["nodes"].(pulumi.Array)[i].(pulumi.Map)
			node["generation"], node["restarts"] = generation, r.restarts[n.Name]
		}
	}
	gate := &postgresHealth{}
	return gate, ctx.RegisterResource("quorum:index:PostgresHealth", r.cluster+"-"+suffix, args, gate, r.options(pulumi.DependsOn(before))...)
}

// asked are the nodes, and how they are asked.
func (r *postgresRoll) asked() pulumi.Map {
	nodes := pulumi.Array{}
	for i := range r.in.Args.Nodes {
		nodes = append(nodes, r.address(i))
	}
	return pulumi.Map{
		"nodes": nodes, "skipHealthChecks": r.in.Bool("skipHealthChecks"), "allowDataLoss": r.in.Bool("allowDataLoss"),
		"caCert": server.Trusted(r.in, r.ca.Cert), "clientCert": r.client.Cert, "clientKey": r.client.Key,
	}
}

// address is where the i-th node's Patroni answers.
func (r *postgresRoll) address(i int) pulumi.Map {
	return pulumi.Map{"name": r.in.RequiredString(check.Index("nodes", i) + ".name"), "ip": r.nodeIP(i), "apiPort": pulumi.Int(patroni.APIPort)}
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

// guard registers what goes before the i-th node's machine does.
func (r *postgresRoll) guard(ctx *pulumi.Context, i int, machine *PostgresServer, gate *postgresHealth) error {
	name := r.in.Args.Nodes[i].Name
	return ctx.RegisterResource("quorum:index:PostgresGuard", r.cluster+"-guard-"+name, pulumi.Map{
		"gate": pulumi.String(r.cluster + "-plan"), "node": r.address(i), "machine": r.machines[name], "data": machine.data,
	}, &server.CustomResource{}, r.options(server.GuardOptions(r.opts, pulumi.DependsOn([]pulumi.Resource{gate}))...)...)
}
