package provider

import (
	"maps"

	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/compute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// groups are what a cluster makes for its machines on OpenStack: a server
// group, and the security groups of their ports. What it does not make is nil.
type groups struct{ server, security pulumi.Output }

// serverGroup makes the server group of those machines that are not given one:
// Nova keeps them on hosts of their own.
func (g *groups) serverGroup(ctx *pulumi.Context, name string, sites []site, opts []pulumi.ResourceOption) error {
	wanted := false
	for _, s := range sites {
		wanted = wanted || s.openstack != nil && s.openstack.ServerGroupID == nil
	}
	if !wanted {
		return nil
	}
	group, err := compute.NewServerGroup(ctx, name+"-server-group", &compute.ServerGroupArgs{
		Name: pulumi.String(name), Policies: pulumi.String("anti-affinity"),
	}, opts...)
	if err != nil {
		return err
	}
	g.server = group.ID().ToStringOutput()
	return nil
}

// put adds to the inputs made for a machine what it is not given.
func (g groups) put(s site, made map[string]pulumi.Output) map[string]pulumi.Output {
	all := maps.Clone(made)
	if s.openstack != nil && s.openstack.ServerGroupID == nil {
		all["openstack.serverGroupId"] = g.server
	}
	if s.takesGroups() && g.security != nil {
		all["openstack.networkPort.securityGroupIds"] = g.security
	}
	return all
}

// takesGroups tells whether a port is made without security groups of its own.
func (s site) takesGroups() bool {
	return s.openstack != nil && s.openstack.NetworkPort.NetworkID != nil && s.openstack.NetworkPort.SecurityGroupIDs == nil
}

// group makes what the members share on OpenStack.
func (r *etcdRoll) group(ctx *pulumi.Context, c *EtcdCluster) error {
	var sites []site
	for _, m := range r.in.Args.Members {
		sites = append(sites, m.site())
	}
	if err := r.groups.serverGroup(ctx, r.cluster, sites, r.opts); err != nil {
		return err
	}
	c.ClientGroupID, c.BastionGroupID = none(), none()
	if r.in.Args.SecurityGroups == nil {
		return nil
	}
	var wanted EtcdSecurityGroupsArgs
	m := inputs.Map(&r.in.Args, &wanted)
	m.Same(&wanted, r.in.Args.SecurityGroups)
	made, err := newEtcdSecurityGroups(ctx, r.cluster+"-security-groups", inputs.Derive(r.in, m, nil), r.opts...)
	if err != nil {
		return err
	}
	r.groups.security = pulumi.StringArray{made.MemberGroupID}.ToStringArrayOutput()
	c.ClientGroupID, c.BastionGroupID = made.ClientGroupID.ToStringPtrOutput(), made.BastionGroupID.ToStringPtrOutput()
	return nil
}

// group makes what the machines share on OpenStack: nodes with nodes, load
// balancers with load balancers.
func (r *postgresRoll) group(ctx *pulumi.Context) error {
	for _, list := range []struct {
		name     string
		machines []PostgresClusterMachine
		groups   *groups
	}{{"nodes", r.in.Args.Nodes, &r.nodeGroups}, {"load-balancers", r.in.Args.LoadBalancers, &r.balancerGroups}} {
		var sites []site
		for _, m := range list.machines {
			sites = append(sites, m.site())
		}
		if err := list.groups.serverGroup(ctx, r.cluster+"-"+list.name, sites, r.opts); err != nil {
			return err
		}
	}
	return nil
}
