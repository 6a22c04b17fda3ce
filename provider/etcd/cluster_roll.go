package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// etcdRoll makes the members of a cluster, one after the other, each behind gates:
//
//	recovery  the cluster is to be re-created from one member's data
//	plan      the step is one that the cluster can take; members that are gone for good are out
//	without   the others hold the quorum without the member, and the leadership
//	member    the machine
//	guard     is deleted before the machine, and only while the others hold the quorum
//	place     it is a healthy member that votes, with its new configuration in force
//	healthy   all are, and those removed are no members any more
//
// Members whose machines do not answer come first, and together: they have
// nothing to lose, and the others cannot be spared before they are back.
//
// A gate is updated when what it is about changes, and never replaced. No
// property goes from one member to the next, whose replacement would take the
// next one along, and no dependency does: see server.After.
type etcdRoll struct {
	cluster string
	in      inputs.Inputs[EtcdClusterArgs]
	ca      server.Identity
	root    etcdIdentity
	opts    []pulumi.ResourceOption
	groups  server.Groups

	emptied     emptied             // members
	recovery    pulumi.StringOutput // id, where one is asked for
	backupKey   pulumi.StringInput  // what backups are encrypted with, if there are any
	machines    pulumi.StringMap    // ids by member
	generations pulumi.StringMap
}

func (r *etcdRoll) roll(ctx *pulumi.Context) (*etcdHealth, error) {
	r.machines, r.generations = pulumi.StringMap{}, pulumi.StringMap{}
	recovery, err := r.recover(ctx)
	if err != nil {
		return nil, err
	}
	plan, err := r.plan(ctx, recovery)
	if err != nil {
		return nil, err
	}
	silent, answering := r.order(ctx)
	before, done := []pulumi.Output{plan.URN()}, []pulumi.Resource{plan}
	servers := make([]*EtcdServer, len(r.in.Args.Members))
	for _, i := range silent {
		if servers[i], err = r.member(ctx, i, plan, before); err != nil {
			return nil, err
		}
		before = []pulumi.Output{servers[i].MachineID}
	}
	for _, i := range r.places(silent, answering) {
		if servers[i] == nil {
			if servers[i], err = r.member(ctx, i, plan, before); err != nil {
				return nil, err
			}
		}
		member, err := r.place(ctx, i, plan, servers[i], before)
		if err != nil {
			return nil, err
		}
		before, done = []pulumi.Output{member.URN()}, append(done, member)
	}
	return r.gate(ctx, admin.LastGate, quorum.EtcdHealthArgs{
		Triggers: pulumi.StringMap{
			"machines": pulumi.Sprintf("%v", r.machines.ToStringMapOutput()),
			"updates":  pulumi.Sprintf("%d", plan.Updates), // also where one failed, and all was taken back
		},
		RemoveOthers: pulumi.Bool(true), Defragment: r.in.String("defragment"), Repository: r.repository(),
		EncryptionKeyGiven: server.IsGiven(r.in.String("backup.encryptionKey")),
	}, done...)
}

// plan is the first gate, which compares the program with the one before.
func (r *etcdRoll) plan(ctx *pulumi.Context, before pulumi.Resource) (*etcdHealth, error) {
	rebuild, data, volumes := pulumi.StringMap{}, pulumi.StringMap{}, pulumi.StringMap{}
	for i, m := range r.in.Args.Members {
		if !r.isMade(i) {
			continue
		}
		in := r.server(i)
		rebuild[m.Name], data[m.Name] = server.RebuildHash(in, in.Args.ServerArgs), server.DataHash(in, in.Args.ServerArgs)
		volumes[m.Name] = server.Holds(in, in.Args.ServerArgs)
	}
	return r.gate(ctx, admin.FirstGate, quorum.EtcdHealthArgs{
		Require: quorum.RequirementQuorum, RemoveOthers: pulumi.Bool(true), Triggers: rebuild, Data: data, Volumes: volumes,
		Version: r.version(), Authority: r.ca.Cert, EnableAuth: r.enablesAuth(),
	}, before)
}

// member makes the machine of the i-th member, when what is before it is done, and
// has it guarded.
func (r *etcdRoll) member(ctx *pulumi.Context, i int, plan *etcdHealth, before []pulumi.Output) (*EtcdServer, error) {
	name := r.in.Args.Members[i].Name
	planned, err := memberRole.Plan(ctx, r.cluster+"-"+name, &EtcdServer{}, r.server(i), r.made(name), r.opts)
	if err != nil {
		return nil, err
	}
	gate, err := r.gate(ctx, "without-"+name, quorum.EtcdHealthArgs{
		Require: server.After(ctx, before, quorum.RequirementQuorum).(quorum.RequirementOutput), Without: pulumi.String(name),
		Triggers: pulumi.StringMap{"rebuilds": planned.Rebuilds, "restarts": planned.Restarts(config.Service)},
	}, plan)
	if err != nil {
		return nil, err
	}
	if planned.Hooks, err = r.asked(ctx, i, plan); err != nil {
		return nil, err
	}
	if planned.DataHooks, err = r.emptiedBy(ctx, i, plan); err != nil {
		return nil, err
	}
	planned.Cluster = r.cluster
	made, err := planned.Make(ctx, gate)
	if err != nil {
		return nil, err
	}
	r.machines[name], r.generations[name] = made.MachineID, made.Generation
	return made, r.guard(ctx, name, made)
}

// guard registers what is deleted before a member's machine: as soon as that is there, for
// a refresh that does not find a machine takes the dependencies on it out of the state.
func (r *etcdRoll) guard(ctx *pulumi.Context, name string, machine *EtcdServer) error {
	return ctx.RegisterResource("quorum:index:EtcdGuard", r.cluster+"-guard-"+name, quorum.EtcdGuardArgs{
		Gate: pulumi.String(r.cluster + "-" + admin.FirstGate), Member: pulumi.String(name), Machine: machine.MachineID, Data: machine.data, Shared: r.isShared(),
	}, &server.CustomResource{}, r.options(server.GuardOptions(r.opts, pulumi.DependsOn(machine.last))...)...)
}

// place has the i-th member in the cluster, when what is before it is done.
func (r *etcdRoll) place(ctx *pulumi.Context, i int, plan *etcdHealth, machine *EtcdServer, before []pulumi.Output) (pulumi.Resource, error) {
	name := r.in.Args.Members[i].Name
	member := &server.CustomResource{}
	return member, ctx.RegisterResource("quorum:index:EtcdMember", r.cluster+"-"+name, quorum.EtcdMemberArgs{
		Etcd: r.connection(), Name: server.After(ctx, before, name).(pulumi.StringOutput), Ip: r.ip(i), ClusterId: plan.ClusterID,
		Generation: machine.Generation, Triggers: r.triggers(machine),
		SkipHealthChecks: r.in.Bool("skipHealthChecks"),
	}, member, r.options(pulumi.DependsOn(append([]pulumi.Resource{plan}, machine.last...)),
		// The last gate removes members: destroyed as a whole, a cluster stays one on the disks that outlive it.
		pulumi.RetainOnDelete(true))...)
}

// ip is the address that the i-th member serves on.
func (r *etcdRoll) ip(i int) pulumi.StringOutput {
	return r.in.Args.Members[i].backend().Addresses(r.in, check.Index("members", i))[0].ToStringOutput()
}
