package etcd

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// etcdRecovery is an EtcdRecovery as its output is used here.
type etcdRecovery struct {
	pulumi.CustomResourceState

	Recovery pulumi.StringOutput `pulumi:"recovery"`
}

// recover registers what decides about a recovery. It is there before one is
// asked for, so that what is asked for later is a change.
func (r *etcdRoll) recover(ctx *pulumi.Context) (pulumi.Resource, error) {
	members := quorum.EtcdHealthMemberArray{}
	for i, m := range r.in.Args.Members {
		members = append(members, quorum.EtcdHealthMemberArgs{Name: pulumi.String(m.Name), Ip: r.ip(i)})
	}
	recovery := &etcdRecovery{}
	err := ctx.RegisterResource("quorum:index:EtcdRecovery", r.cluster+"-recovery", quorum.EtcdRecoveryArgs{
		Etcd: r.connection(), Members: members, RecoverFrom: r.in.String("recoverFrom"), Restore: r.source(), AboutRestore: r.aboutSource(), SkipHealthChecks: r.in.Bool("skipHealthChecks"),
	}, recovery, r.options()...)
	r.recovery = recovery.Recovery
	return recovery, err
}

// source is what the cluster is to be founded from.
func (r *etcdRoll) source() pulumi.StringPtrInput {
	if r.in.Args.Restore == nil {
		return nil
	}
	return server.HashOf(r.in, inputs.Only("restore"), func() (string, error) { return r.in.Args.Restore.Source(), nil }).ToStringPtrOutput()
}

// aboutSource is the same for people. No key is in it.
func (r *etcdRoll) aboutSource() pulumi.StringPtrInput {
	if r.in.Args.Restore == nil {
		return nil
	}
	of := inputs.Only("restore.s3.endpoint", "restore.s3.bucket", "restore.s3.prefix", "restore.snapshot", "restore.time")
	return r.in.Text(of, func() string { return r.in.Args.Restore.About() }).ToStringPtrOutput()
}

func (r *etcdRoll) recovers() bool { return r.in.Args.RecoverFrom != nil }

// places is the order in which members take their places: those that do not
// answer first. Without a quorum the one to recover from goes before them all.
func (r *etcdRoll) places(silent, answering []int) []int {
	all := slices.Concat(silent, answering)
	if !r.recovers() || len(answering) > len(all)/2 {
		return all
	}
	first := slices.IndexFunc(all, func(i int) bool { return r.in.Args.Members[i].Name == *r.in.Args.RecoverFrom })
	return slices.Concat(all[first:first+1], all[:first], all[first+1:])
}

// triggers are what has a member's place be looked at again.
func (r *etcdRoll) triggers(server *EtcdServer) pulumi.StringMap {
	triggers := pulumi.StringMap{"machine": server.MachineID, "drive": server.drive} // also of a change that is taken back
	if r.recovers() || r.in.Args.Restore != nil {
		triggers["recovery"] = r.recovery
	}
	return triggers
}

// recoverable requires the cluster to be re-created from a member that can be
// told to.
func (a EtcdClusterArgs) recoverable() (l check.List) {
	if a.RecoverFrom == nil {
		return nil
	}
	if a.Restore != nil {
		l.Add("recoverFrom", "must not be given together with restore: the cluster is re-created either from a member's data or from a snapshot").Shape().Needing("restore")
	}
	var names []string
	for _, m := range a.Members {
		if names = append(names, m.Name); m.Name == *a.RecoverFrom && m.OpenStack != nil {
			l.Add("recoverFrom", "must be a member on libvirt: on OpenStack, the recovery cannot be started on a running machine. See docs/clusters.md for the manual procedure").Needing("members")
		}
	}
	if !slices.Contains(names, *a.RecoverFrom) {
		l.Add("recoverFrom", "must be one of members: %s, not %s", check.Or(names), check.Quote(*a.RecoverFrom)).Needing("members")
	}
	return l
}
