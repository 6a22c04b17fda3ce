package admin

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Recovery)(nil)
	_ infer.Annotated = (*RecoveryArgs)(nil)
	_ infer.Annotated = (*RecoveryState)(nil)
)

// Annotate describes r.
func (r *Recovery) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdRecovery")
	a.Describe(&r, `Decides whether an etcd cluster that has lost its quorum may be re-created from the data of one member, or a cluster without data be founded from a snapshot. EtcdCluster creates it, and passes its id to that member's machine, where etcd runs with --force-new-cluster, once: https://etcd.io/docs/latest/op-guide/recovery/

It does nothing while `+"`recoverFrom`"+` is absent or stays the same. When it is set, or names another member, the resource watches the members for at least 30 seconds. It refuses the recovery while a member sees a leader, if the member does not answer within a minute, has no data or is a learner, and if another member has later data.`)
}

// Annotate describes a.
func (r *RecoveryArgs) Annotate(a infer.Annotator) {
	a.Describe(&r.Etcd, aboutConnection)
	a.Describe(&r.Members, "The members of the cluster.")
	a.Describe(&r.RecoverFrom, "Name of the member from whose data the cluster is to be re-created.")
	a.Describe(&r.Restore, "Names the snapshot that the cluster is to be founded from. When it is set, or changes, the resource refuses that while a member has data.")
	a.Describe(&r.AboutRestore, "What the update says of the snapshot: which one it is, and where.")
	a.Describe(&r.SkipHealthChecks, "Whether to skip the checks, and use the member's data as they are.")
	a.SetDefault(&r.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *RecoveryState) Annotate(a infer.Annotator) {
	a.Describe(&s.Recovery, "Id of the recovery: the time of the decision. Empty without a recovery.")
}
