package etcd

import (
	"errors"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/networking"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// EtcdSecurityGroups are the security groups of an etcd cluster on OpenStack:
// of its members, its clients, and the machines that it is managed from.
type EtcdSecurityGroups struct {
	pulumi.ResourceState

	MemberGroupID  pulumi.StringOutput `pulumi:"memberGroupId"`
	ClientGroupID  pulumi.StringOutput `pulumi:"clientGroupId"`
	BastionGroupID pulumi.StringOutput `pulumi:"bastionGroupId"`
}

// EtcdSecurityGroupsArgs are the inputs of EtcdSecurityGroups, and how an
// EtcdCluster makes some.
type EtcdSecurityGroupsArgs struct {
	Namespace       *string  `pulumi:"namespace,optional"`
	AdminNetworks   []string `pulumi:"adminNetworks,optional" decides:"resources"`
	MetricsGroupIDs []string `pulumi:"metricsGroupIds,optional" decides:"resources"`
}

const etcdSecurityGroupsToken = "quorum:index:EtcdSecurityGroups"

var (
	_ infer.Annotated = (*EtcdSecurityGroups)(nil)
	_ infer.Annotated = (*EtcdSecurityGroupsArgs)(nil)
)

// Annotate describes c.
func (c *EtcdSecurityGroups) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdSecurityGroups")
	a.Describe(&c, "Neutron security groups for an etcd cluster. Members accept other members (2380 and 2379), clients (2379, ICMP) and bastions (22, ICMP). Bastions accept SSH and ICMP from anywhere. All outgoing traffic is allowed.")
	a.Describe(&c.MemberGroupID, "Id of the group of the members' ports.")
	a.Describe(&c.ClientGroupID, "Id of the group of the clients' ports: they may connect to etcd.")
	a.Describe(&c.BastionGroupID, "Id of the group of the bastions' ports: they may log in to the members.")
}

// Annotate describes e.
func (e *EtcdSecurityGroupsArgs) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdSecurityGroupsSettings")
	a.Describe(&e.Namespace, "Suffix of the groups' names, which are `etcd-member-<namespace>` and so on.")
	a.Describe(&e.AdminNetworks, "Networks, like 10.0.0.0/24, from which the members are managed: members accept SSH, etcd (2379), the node exporter (9100) and ICMP from there. Include the network where Pulumi runs, unless it is in one of the groups.")
	a.Describe(&e.MetricsGroupIDs, "Ids of the security groups of servers that collect metrics: of the node exporter (9100) and of etcd (2379).")
}

// Validate returns what is wrong with a.
func (a EtcdSecurityGroupsArgs) Validate() []check.Problem {
	var l check.List
	if a.Namespace != nil {
		l.Check("namespace", check.HostName(*a.Namespace))
	}
	for i, n := range a.AdminNetworks {
		l.Check(check.Index("adminNetworks", i), check.Network(n))
	}
	l.Distinct(check.Each("adminNetworks", len(a.AdminNetworks), ""), a.AdminNetworks)
	l.Distinct(check.Each("metricsGroupIds", len(a.MetricsGroupIDs), ""), a.MetricsGroupIDs)
	for i, id := range a.MetricsGroupIDs {
		l.Required(check.Index("metricsGroupIds", i), id)
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a EtcdSecurityGroupsArgs) Warnings() []check.Problem {
	return check.EveryAddress("adminNetworks", a.AdminNetworks)
}

func NewEtcdSecurityGroups(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdSecurityGroupsArgs], opts ...pulumi.ResourceOption) (*EtcdSecurityGroups, error) {
	c := &EtcdSecurityGroups{}
	children, err := server.Register(ctx, etcdSecurityGroupsToken, name, c, opts)
	if err != nil {
		return nil, err
	}
	ids := map[string]pulumi.StringOutput{}
	for _, role := range []string{"member", "client", "bastion"} {
		group, err := networking.NewSecGroup(ctx, name+"-"+role, &networking.SecGroupArgs{
			Name:        groupName(in, role),
			Description: pulumi.String("etcd: " + role),
			// What a member lets out is said here.
			DeleteDefaultRules: pulumi.Bool(role == "member"),
		}, children...)
		if err != nil {
			return nil, err
		}
		ids[role] = group.ID().ToStringOutput()
	}
	c.MemberGroupID, c.ClientGroupID, c.BastionGroupID = ids["member"], ids["client"], ids["bastion"]
	d := server.NewSecurityGroupRules(ctx, name, children)
	return c, errors.Join(
		d.Out("member", ids["member"]),
		d.In("member", ids["member"], "member", server.Group(ids["member"]), ports.EtcdClient, ports.EtcdPeer),
		d.In("member", ids["member"], "client", server.Group(ids["client"]), ports.EtcdClient, server.Ping),
		d.In("member", ids["member"], "bastion", server.Group(ids["bastion"]), ports.SSH, server.Ping),
		d.In("bastion", ids["bastion"], "anywhere", server.Anywhere, ports.SSH, server.Ping),
		d.Listed("admin", ids["member"], len(in.Args.AdminNetworks), func(i int) server.Source {
			return server.Network(in.RequiredString(check.Index("adminNetworks", i)), in.Args.AdminNetworks[i])
		}, ports.SSH, ports.EtcdClient, ports.NodeExporter, server.Ping),
		d.Listed("metrics", ids["member"], len(in.Args.MetricsGroupIDs), func(i int) server.Source {
			return server.Group(in.RequiredString(check.Index("metricsGroupIds", i)))
		}, ports.EtcdClient, ports.NodeExporter),
	)
}

func groupName(in server.Given, role string) pulumi.StringInput {
	if namespace := in.String("namespace"); namespace != nil {
		return pulumi.Sprintf("etcd-%s-%s", role, namespace.ToStringPtrOutput().Elem())
	}
	return pulumi.String("etcd-" + role)
}
