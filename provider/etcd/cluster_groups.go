package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// group makes what the members share on OpenStack.
func (r *etcdRoll) group(ctx *pulumi.Context, c *EtcdCluster) error {
	if err := r.groups.ServerGroup(ctx, r.cluster, r.in.Args.ownBackends(), r.opts); err != nil {
		return err
	}
	c.ClientGroupID, c.BastionGroupID = server.Absent(), server.Absent()
	if r.in.Args.SecurityGroups == nil {
		return nil
	}
	var wanted EtcdSecurityGroupsArgs
	m := inputs.Map(&r.in.Args, &wanted)
	m.Same(&wanted, r.in.Args.SecurityGroups)
	made, err := NewEtcdSecurityGroups(ctx, r.cluster+"-security-groups", inputs.Derive(r.in, m, nil), r.opts...)
	if err != nil {
		return err
	}
	r.groups.Security = pulumi.StringArray{made.MemberGroupID}.ToStringArrayOutput()
	c.ClientGroupID, c.BastionGroupID = made.ClientGroupID.ToStringPtrOutput(), made.BastionGroupID.ToStringPtrOutput()
	return nil
}
