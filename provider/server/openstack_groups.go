package server

import (
	"maps"

	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/compute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Groups are what a cluster makes for its machines on OpenStack: a server
// group, and the security groups of their ports. What it does not make is nil.
type Groups struct{ server, Security pulumi.Output }

// ServerGroup makes the server group of those machines that are not given one:
// Nova keeps them on hosts of their own.
func (g *Groups) ServerGroup(ctx *pulumi.Context, name string, backends []Backend, opts []pulumi.ResourceOption) error {
	wanted := false
	for _, s := range backends {
		wanted = wanted || s.OpenStack != nil && s.OpenStack.ServerGroupID == nil
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

// Put adds to the inputs made for a machine what it is not given.
func (g Groups) Put(s Backend, made map[string]pulumi.Output) map[string]pulumi.Output {
	all := maps.Clone(made)
	if s.OpenStack != nil && s.OpenStack.ServerGroupID == nil {
		all["openstack.serverGroupId"] = g.server
	}
	if s.TakesGroups() && g.Security != nil {
		all["openstack.networkPort.securityGroupIds"] = g.Security
	}
	return all
}

// TakesGroups reports whether a port is made without security groups of its own.
func (s Backend) TakesGroups() bool {
	return s.OpenStack != nil && s.OpenStack.NetworkPort.NetworkID != nil && s.OpenStack.NetworkPort.SecurityGroupIDs == nil
}
