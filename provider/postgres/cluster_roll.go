package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// Names of gates of all nodes.
const (
	healthy   = "healthy" // the last one
	restarted = "restarted"
	upgraded  = "upgraded"
	filled    = "filled"
)

// postgresRoll makes the nodes of a cluster one after the other, each behind gates,
// and then its load balancers:
//
//	plan      the step is one that the cluster can take
//	without   the others do without the node, and one of them leads
//	node      the machine
//	guard     is deleted before the machine: asks once more, right then
//	node      it streams from the leader, with its new configuration in force
//	upgraded  the data are of another major version of PostgreSQL, if the program wants that
//	restarted what waited for a restart of PostgreSQL is in force, if the program wants that
//	without   another load balancer, if there are several, leads to them
//	balancer  the machine, and so on
//	filled    all that another cluster has is here, if the program wants that
//	healthy   all do, and all load balancers lead to them
//
// Somebody else's machines are in all of these, and have none of their own.
//
// Nodes that are out of the cluster come first, and of the load balancers those
// that lead nowhere: the others may have to wait for them.
//
// A gate is updated when what it is about changes, and never replaced. No
// property goes from one node to the next, whose replacement would take the next
// one along, and no dependency does: see server.After.
type postgresRoll struct {
	cluster string
	self    pulumi.Resource
	in      inputs.Inputs[PostgresClusterArgs]
	opts    []pulumi.ResourceOption

	ca, client server.Identity
	passwords  pulumi.StringMap  // made for the nodes, and what backups are made with
	first      []pulumi.Resource // what must be there before any machine

	nodeGroups, balancerGroups server.Groups

	machines    pulumi.StringMap // ids by name
	generations pulumi.StringMap
	restarts    pulumi.StringMap // what restarts a node's Patroni
}

// postgresHealth is a PostgresHealth as its outputs are used here.
type postgresHealth struct {
	pulumi.CustomResourceState

	SystemID pulumi.StringOutput      `pulumi:"systemId"`
	Joined   pulumi.StringArrayOutput `pulumi:"joined"`

	BackupTimes pulumi.StringMapOutput `pulumi:"backupTimes"`
}

// afterGate is out, once the gate has passed.
func (h *postgresHealth) afterGate(out pulumi.StringOutput) pulumi.StringOutput {
	return fault.Apply(pulumi.All(out, h.SystemID), func(all []any) string { return all[0].(string) }).(pulumi.StringOutput)
}

func (r *postgresRoll) roll(ctx *pulumi.Context) (*postgresHealth, error) {
	r.machines, r.generations, r.restarts = pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	rebuild, data, volumes := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for i, n := range r.in.Args.Nodes {
		if !r.isMade("nodes", i) {
			continue
		}
		node := r.node(i)
		rebuild[n.Name], data[n.Name] = server.RebuildHash(node, node.Args.ServerArgs), server.DataHash(node, node.Args.ServerArgs)
		volumes[n.Name] = server.Holds(node, node.Args.ServerArgs)
	}
	args := quorum.PostgresHealthPlanArgs{
		Version: r.in.String("postgres.version"), Keys: r.keys(), Authority: r.ca.Cert, Rebuilds: rebuild, Data: data, Volumes: volumes,
		Upgrade: r.upgrading(), LoadBalancers: r.places(),
	}
	plan, err := r.gate(ctx, "plan", quorum.PostgresHealthArgs{
		Plan: r.ofExisting(args), SynchronousStandbys: r.standbys(), Source: r.source(), UpgradeFrom: r.upgradeFrom(),
	}, r.first...)
	if err != nil {
		return nil, err
	}
	if err := r.tell(ctx); err != nil {
		return nil, err
	}
	done := rolled{[]pulumi.Output{plan.URN()}, []pulumi.Resource{plan}}
	for _, i := range r.order(ctx) {
		if !r.isMade("nodes", i) {
			continue
		}
		gate, err := r.changeNode(ctx, i, plan, done.last)
		if err != nil {
			return nil, err
		}
		done.add(gate)
	}
	if err := r.upgrade(ctx, &done); err != nil {
		return nil, err
	}
	if err := r.restart(ctx, &done); err != nil {
		return nil, err
	}
	return r.rollBalancers(ctx, plan, done)
}

// rolled is what is made so far, and what of it was last.
type rolled struct {
	last []pulumi.Output
	all  []pulumi.Resource
}

func (r *rolled) add(more ...pulumi.Resource) {
	r.last = nil
	for _, each := range more {
		r.last = append(r.last, each.URN())
	}
	r.all = append(r.all, more...)
}

// changeNode makes the i-th node, when what is before it is done.
func (r *postgresRoll) changeNode(ctx *pulumi.Context, i int, plan *postgresHealth, before []pulumi.Output) (*postgresHealth, error) {
	name := r.in.Args.Nodes[i].Name
	planned, err := postgresRole.Plan(ctx, r.cluster+"-"+name, &PostgresServer{}, r.node(i), r.passwords, r.opts)
	if err != nil {
		return nil, err
	}
	r.restarts[name] = planned.Restarts(patroniService)
	without, err := r.without(ctx, i, planned.Planned, plan, before)
	if err != nil {
		return nil, err
	}
	if planned.Hooks, err = r.askBeforeSwap(ctx, i, without, planned.Generation); err != nil {
		return nil, err
	}
	if planned.DataHooks, err = r.emptiedBy(ctx, i); err != nil {
		return nil, err
	}
	planned.Cluster = r.cluster
	made, err := planned.Make(ctx, without)
	if err != nil {
		return nil, err
	}
	r.machines[name], r.generations[name] = made.MachineID, made.Generation
	if err := r.guard(ctx, i, made); err != nil {
		return nil, err
	}
	return r.gate(ctx, name, quorum.PostgresHealthArgs{Node: pulumi.String(name), Triggers: pulumi.StringMap{
		"machine": made.MachineID, health.DriveTrigger: made.drive, // also of a change that is taken back
	}}, made.last...)
}

// without is the gate in front of the i-th node's machine.
func (r *postgresRoll) without(ctx *pulumi.Context, i int, planned server.Planned, plan *postgresHealth, before []pulumi.Output) (*postgresHealth, error) {
	name := r.in.Args.Nodes[i].Name
	args := quorum.PostgresHealthArgs{
		Without: server.After(ctx, before, name).(pulumi.StringOutput), SynchronousStandbys: r.standbys(),
		Triggers: pulumi.StringMap{health.RebuildsTrigger: planned.Rebuilds, "restarts": r.restarts[name]},
	}
	if candidates := r.candidates(i); len(candidates) > 0 {
		args.Candidates = candidates
	}
	if planned.Builder.ImmutableReason() == "" { // else every change is a rebuild
		args.Passwords = r.passwordsHash()
	}
	return r.gate(ctx, "without-"+name, args, plan)
}

// standbys are how many synchronous standbys there must be.
func (r *postgresRoll) standbys() pulumi.IntInput {
	count := r.in.Args.synchronousStandbys()
	of := pulumi.All(r.in.Bool("patroni.isSynchronous"), r.in.Int("patroni.synchronousSettings.synchronousNodeCount"))
	return fault.Apply(of, func([]any) int { return count }).(pulumi.IntOutput)
}

// options are those of the cluster's own custom resources.
func (r *postgresRoll) options(more ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append(append([]pulumi.ResourceOption{pulumi.Version(version.String())}, r.opts...), more...)
}
