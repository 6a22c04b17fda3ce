package provider

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/etcd"
)

// etcdRoll makes the members of a cluster in their order, each behind gates:
//
//	plan      the step is one that the cluster can take
//	without   the others hold the quorum without the member, and the leadership
//	member    the machine
//	place     it is a healthy member that votes, with its new configuration in force
//	healthy   all are, and those removed are no members any more
//
// A gate is updated when what it is about changes, and never replaced. No
// property goes from one member to the next: its replacement would take the
// next one along.
type etcdRoll struct {
	cluster string
	in      inputs.Inputs[EtcdClusterArgs]
	ca      identity
	root    etcdIdentity
	opts    []pulumi.ResourceOption
	groups  groups

	machines    pulumi.StringMap // ids by member
	generations pulumi.StringMap
}

// etcdHealth is an EtcdHealth as its outputs are used here.
type etcdHealth struct {
	pulumi.CustomResourceState

	Endpoints pulumi.StringArrayOutput `pulumi:"endpoints"`
	ClusterID pulumi.StringOutput      `pulumi:"clusterId"`
	MemberIDs pulumi.StringMapOutput   `pulumi:"memberIds"`
}

// lets is out, once the gate has passed.
func (h *etcdHealth) lets(out pulumi.StringPtrOutput) pulumi.StringPtrOutput {
	return pulumi.All(out, h.ClusterID).ApplyT(func(all []any) *string { return all[0].(*string) }).(pulumi.StringPtrOutput)
}

// etcdPlace is an EtcdMember.
type etcdPlace struct{ pulumi.CustomResourceState }

func (r *etcdRoll) roll(ctx *pulumi.Context) (*etcdHealth, error) {
	r.machines, r.generations = pulumi.StringMap{}, pulumi.StringMap{}
	rebuild := pulumi.StringMap{}
	for i, m := range r.in.Args.Members {
		member := r.member(i)
		rebuild[m.Name] = rebuilds(member, member.Args.host())
	}
	before, err := r.gate(ctx, "plan", pulumi.Map{
		"require": pulumi.String("quorum"), "triggers": rebuild, "version": r.version(), "authority": r.ca.Cert,
	})
	if err != nil {
		return nil, err
	}
	for i := range r.in.Args.Members {
		if before, err = r.change(ctx, i, before); err != nil {
			return nil, err
		}
	}
	all, err := r.gate(ctx, "healthy", pulumi.Map{
		"triggers": pulumi.StringMap{"machines": pulumi.Sprintf("%v", r.machines.ToStringMapOutput())}, "removeOthers": pulumi.Bool(true),
	}, before)
	return all.(*etcdHealth), err
}

// change makes the i-th member after those before it, and returns its place.
func (r *etcdRoll) change(ctx *pulumi.Context, i int, before pulumi.Resource) (pulumi.Resource, error) {
	name := r.in.Args.Members[i].Name
	server, err := makeEtcdServer(ctx, r.cluster+"-"+name, r.member(i), r.root.secrets, func(p planned) ([]pulumi.Resource, error) {
		gate, err := r.gate(ctx, "without-"+name, pulumi.Map{
			"require": pulumi.String("quorum"), "without": pulumi.String(name),
			"triggers": pulumi.StringMap{"rebuilds": p.Rebuilds, "restarts": p.Restarts(etcd.Service)},
		}, before)
		return []pulumi.Resource{gate}, err
	}, r.opts)
	if err != nil {
		return nil, err
	}
	r.machines[name], r.generations[name] = server.MachineID, server.Generation
	place := &etcdPlace{}
	err = ctx.RegisterResource("quorum:index:EtcdMember", r.cluster+"-"+name, pulumi.Map{
		"etcd": r.connection(), "name": r.in.RequiredString(fmt.Sprintf("members[%d].name", i)), "ip": r.ip(i),
		"generation": server.Generation, "triggers": pulumi.StringMap{"machine": server.MachineID},
		"skipHealthChecks": r.in.Bool("skipHealthChecks"),
	}, place, r.options(pulumi.DependsOn([]pulumi.Resource{server}),
		// The last gate removes members: destroyed as a whole, a cluster stays one on the disks that outlive it.
		pulumi.RetainOnDelete(true))...)
	return place, err
}

// gate registers an EtcdHealth after what comes before it.
func (r *etcdRoll) gate(ctx *pulumi.Context, suffix string, args pulumi.Map, before ...pulumi.Resource) (pulumi.Resource, error) {
	members := pulumi.Array{}
	for i, m := range r.in.Args.Members {
		member := pulumi.Map{"name": pulumi.String(m.Name), "ip": r.ip(i)}
		if generation, has := r.generations[m.Name]; has && suffix == "healthy" {
			member["generation"] = generation
		}
		members = append(members, member)
	}
	args["etcd"], args["members"], args["skipHealthChecks"] = r.connection(), members, r.in.Bool("skipHealthChecks")
	gate := &etcdHealth{}
	err := ctx.RegisterResource("quorum:index:EtcdHealth", r.cluster+"-"+suffix, args, gate, r.options(pulumi.DependsOn(before))...)
	return gate, err
}

// options are those of the cluster's own custom resources.
func (r *etcdRoll) options(more ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append(append([]pulumi.ResourceOption{pulumi.Version(Version())}, r.opts...), more...)
}

// connection reaches the cluster as root.
func (r *etcdRoll) connection() pulumi.Map {
	var endpoints pulumi.StringArray
	for i := range r.in.Args.Members {
		endpoints = append(endpoints, endpoint(r.ip(i), etcdPort))
	}
	c := pulumi.Map{"endpoints": endpoints, "caCert": trusted(r.in, r.ca.Cert)}
	if r.root.byCert {
		c["clientCert"], c["clientKey"] = r.root.cert, r.root.key
	} else {
		c["username"], c["password"] = pulumi.String("root"), r.root.password
	}
	return c
}

// ip is the address that the i-th member serves on.
func (r *etcdRoll) ip(i int) pulumi.StringOutput {
	return r.in.Args.Members[i].site().addresses(r.in, check.Index("members", i))[0].ToStringOutput()
}

func (r *etcdRoll) version() pulumi.StringPtrInput {
	if r.in.Args.Etcd == nil {
		return nil
	}
	return r.in.String("etcd.version")
}
