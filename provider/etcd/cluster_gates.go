package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// etcdHealth is an EtcdHealth as its outputs are used here.
type etcdHealth struct {
	pulumi.CustomResourceState

	Endpoints pulumi.StringArrayOutput `pulumi:"endpoints"`
	ClusterID pulumi.StringOutput      `pulumi:"clusterId"`
	MemberIDs pulumi.StringMapOutput   `pulumi:"memberIds"`
	Updates   pulumi.IntOutput         `pulumi:"updates"`

	Left quorum.EtcdHealthMemberArrayOutput `pulumi:"left"`

	BackupTimes pulumi.StringMapOutput `pulumi:"backupTimes"`
}

// afterGate is out, once the gate has passed.
func (h *etcdHealth) afterGate(out pulumi.StringPtrOutput) pulumi.StringPtrOutput {
	return fault.Apply(pulumi.All(out, h.ClusterID), func(all []any) *string { return all[0].(*string) }).(pulumi.StringPtrOutput)
}

// gate registers an EtcdHealth after what comes before it.
func (r *etcdRoll) gate(ctx *pulumi.Context, suffix string, args quorum.EtcdHealthArgs, before ...pulumi.Resource) (*etcdHealth, error) {
	members := quorum.EtcdHealthMemberArray{}
	for i, m := range r.in.Args.Members {
		member := quorum.EtcdHealthMemberArgs{Name: r.in.RequiredString(check.Index("members", i) + ".name"), Ip: r.ip(i)}
		if generation, has := r.generations[m.Name]; has && suffix == admin.LastGate {
			member.Generation = generation.ToStringOutput()
		}
		if m.isExternal() {
			member.External = pulumi.Bool(true)
		}
		members = append(members, member)
	}
	args.Etcd, args.Members = r.connection(), members
	args.SkipHealthChecks, args.AllowDataLoss = r.in.Bool("skipHealthChecks"), r.in.Bool("allowDataLoss")
	if r.in.Args.Restore != nil || r.recovers() && (suffix == admin.FirstGate || suffix == "without-"+*r.in.Args.RecoverFrom || suffix == admin.LastGate) {
		args.Recovery = r.recovery
	}
	gate := &etcdHealth{}
	err := ctx.RegisterResource("quorum:index:EtcdHealth", r.cluster+"-"+suffix, args, gate, r.options(pulumi.DependsOn(before))...)
	return gate, err
}

// options are those of the cluster's own custom resources.
func (r *etcdRoll) options(more ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append(append([]pulumi.ResourceOption{pulumi.Version(version.String())}, r.opts...), more...)
}

// connection reaches the cluster as root.
func (r *etcdRoll) connection() quorum.EtcdConnectionArgs {
	var endpoints pulumi.StringArray
	for i := range r.in.Args.Members {
		endpoints = append(endpoints, server.Endpoint(r.ip(i), ports.EtcdClient))
	}
	c := quorum.EtcdConnectionArgs{Endpoints: endpoints, CaCert: server.Trusted(r.in, r.ca.Cert)}
	if r.root.byCert {
		c.ClientCert, c.ClientKey = r.root.cert, r.root.key
	} else {
		c.Username, c.Password = pulumi.String("root"), r.root.password
	}
	return c
}

func (r *etcdRoll) version() pulumi.StringPtrInput {
	if r.in.Args.Etcd == nil {
		return nil
	}
	return r.in.String("etcd.version")
}
