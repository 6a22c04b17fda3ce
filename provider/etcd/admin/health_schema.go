package admin

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated         = (*Health)(nil)
	_ infer.Annotated         = (*HealthArgs)(nil)
	_ infer.Annotated         = (*HealthState)(nil)
	_ infer.Annotated         = (*HealthMember)(nil)
	_ infer.Annotated         = (*Member)(nil)
	_ infer.Annotated         = (*MemberArgs)(nil)
	_ infer.Annotated         = (*MemberState)(nil)
	_ infer.Annotated         = (*Guard)(nil)
	_ infer.Annotated         = (*GuardArgs)(nil)
	_ infer.Enum[Requirement] = Requirement("")
)

const (
	aboutConnection = "How to connect to the cluster, as its user root. A change of it changes nothing in the cluster."
	aboutTriggers   = "Any texts: when one of them changes, the resource waits again."
	aboutSkipping   = "Whether to skip all health checks: for a cluster that is lost as a whole, or whose machines Pulumi cannot reach (as with macvtap interfaces, from their own host)."
	aboutGeneration = "Configuration that must be in force on the machine: the output `generation` of its server. Read from the metrics of its node exporter."
	aboutTimeouts   = "It waits for 30 minutes at most, or as `customTimeouts` say."
)

// Annotate describes h.
func (h *Health) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdHealth")
	a.Describe(&h, `A gate: resources that depend on it are changed only when an etcd cluster is healthy.

It waits when it is created, and again with every change of its inputs; it is never replaced. A member is healthy if it votes, sees a leader, belongs to the cluster and reports no alarm. While it waits, its progress line shows what is missing, by member. `+aboutTimeouts)
}

// Annotate describes a.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Etcd, aboutConnection)
	a.Describe(&h.Members, "The members that have to be healthy.")
	a.Describe(&h.Require, "How many of `members` must be healthy: `all`, or a `quorum` of the cluster. When it is created and no cluster answers, a gate that requires a quorum does not wait: a new cluster has none yet.")
	a.SetDefault(&h.Require, All)
	a.Describe(&h.Without, "Name of a member that is about to change, and is not counted. If it is the leader, the leadership moves to the last healthy one of the other members. If the quorum needs a member that lost its data, that one is added again first. With this input, the gate waits again only when `triggers` change.")
	a.Describe(&h.RemoveOthers, "Whether members of the cluster that are not in `members` are removed from it (as by `etcdctl member remove`), once all of `members` are healthy. With `require: quorum`, only those that do not answer are removed, once a quorum is healthy.")
	a.SetDefault(&h.RemoveOthers, false)
	a.Describe(&h.Data, "Identifies the storage of each member's data, by its name: when it changes, the member's data are lost. In a cluster of one or two members such a change is refused.")
	a.Describe(&h.Volumes, "What the data of each member lie on, by its name, in words.")
	a.Describe(&h.AllowDataLoss, "Whether the only member of a cluster may lose its data, after which the cluster starts again empty.")
	a.SetDefault(&h.AllowDataLoss, false)
	a.Describe(&h.Recovery, "Id of the recovery of the cluster: the output `recovery` of EtcdRecovery. When it changes, a gate that requires a quorum does not wait, and accepts data of a lower revision.")
	a.Describe(&h.Version, "Target release of etcd. Refused are one of a lower minor version than the members run, unless it is the one before and they run 3.6 or later, one that skips a minor version, and 3.6 while members run a release before 3.5.26, since members that were learners may then not start. Previews check this too.")
	a.Describe(&h.Authority, "Certificate, PEM, of the authority that signs the members' certificates. A change is refused unless the new authority was in `etcd.caCert` before, and the previous one still is.")
	a.Describe(&h.Triggers, aboutTriggers+" With `skipHealthChecks`, those with the name of a member are counted: at most as many may change at once as the cluster can lose.")
	a.Describe(&h.Defragment, "Any text, such as a date. Each new value defragments all members (`etcdctl defrag`), once all of `members` are healthy: one at a time, the leader last, after it has handed over the leadership. Databases below 1 MiB are skipped. For `require: all`.")
	a.Describe(&h.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&h.SkipHealthChecks, false)
	a.Describe(&h.EnableAuth, "Whether authentication may be turned on in a cluster that had external members and has none. Otherwise an update without external members is refused there.")
	a.Describe(&h.Repository, "Names the place of the cluster's backups. A gate that requires all members waits until a member reports a snapshot there, and that all data were read; later it warns if a backup or a drill failed, or is overdue.")
	a.Describe(&h.EncryptionKeyGiven, "With `repository`: whether the program gives the key of the backups. The gate warns when it comes to, and the key that was made leaves the state.")
}

// Annotate describes s.
func (s *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&s.ClusterID, "Id of the cluster, hexadecimal. Empty while there is none.")
	a.Describe(&s.Revision, "Revision of the cluster when the gate last passed. A cluster at a lower revision is refused: it was re-created.")
	a.Describe(&s.Updates, "How many times the gate was updated.")
	a.Describe(&s.LeftAt, "The number in `updates` of the last update that removed a member from the program. 0 once the cluster was seen without the removed members.")
	a.Describe(&s.Joining, "Names of the members in the program when the gate last saw a quorum: no others can have joined the cluster since.")
	a.Describe(&s.Left, "Members that were removed from the program and whose machines may still exist. While one answers, no other member may have its address. If no member of the program answers, these are contacted: they may have the quorum.")
	a.Describe(&s.Identity, "Value of the key `quorum/identity` of the cluster: a random text, written once by a gate with `removeOthers` and `require: all`. A cluster with another value, or none, is refused: it was re-created.")
	a.Describe(&s.RootPasswords, "Other passwords that root may have while its password is being changed.")
	a.Describe(&s.BackupTimes, "With `repository`, as of the last check, in RFC 3339: when the last snapshot (`lastBackup`) and the first that there is (`restorableFrom`) were made, and the last check of all data (`verified`) and the last drill (`lastDrill`) ended.")
	a.Describe(&s.MemberIDs, "Id of each member, hexadecimal, by its name.")
	a.Describe(&s.Endpoints, "The members' addresses for clients, as ip:port.")
}

// Annotate describes m.
func (m *HealthMember) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdHealthMember")
	a.Describe(&m, "A member that has to be healthy.")
	a.Describe(&m.Name, "Name of the member.")
	a.Describe(&m.IP, "Address that the member serves on.")
	a.Describe(&m.Generation, aboutGeneration)
	a.Describe(&m.External, "Whether its machine is somebody else's: then the cluster has to be there, and have the member under this name and address. While there is one, no members are removed but those that the program had before.")
}

// Values lists the requirements.
func (Requirement) Values() []infer.EnumValue[Requirement] {
	return []infer.EnumValue[Requirement]{
		{Name: "All", Value: All, Description: "All members."},
		{Name: "Quorum", Value: Quorum, Description: "As many as the cluster needs to serve requests."},
	}
}

// Annotate describes m.
func (m *Member) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdMember")
	a.Describe(&m, `The membership of a machine in a running etcd cluster: https://etcd.io/docs/latest/op-guide/runtime-configuration/

It brings the machine in, and waits until it is a healthy member that votes. A machine that is no member yet is added as a learner, which takes no part in a quorum, and promoted once it has all data. One whose data are gone is removed first; if its address changes, the cluster gets the new one. When the resource is deleted, the member is removed from the cluster, unless the remaining ones would have no quorum.

If there is no cluster to join when it is created, it does nothing: the machine is one of those that create the cluster. `+aboutTimeouts)
}

// Annotate describes a.
func (m *MemberArgs) Annotate(a infer.Annotator) {
	a.Describe(&m.Etcd, aboutConnection)
	a.Describe(&m.Name, "Name of the member. Defaults to the name of the resource.")
	a.Describe(&m.ClusterID, "Id of the cluster to join: the output `clusterId` of EtcdHealth. With it, the resource waits for a cluster that does not answer; without it, the machine is assumed to be one of those that create the cluster. It is used only when the resource is created.")
	a.Describe(&m.IP, "Address that the member serves on.")
	a.Describe(&m.Generation, aboutGeneration)
	a.Describe(&m.Triggers, aboutTriggers)
	a.Describe(&m.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&m.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *MemberState) Annotate(a infer.Annotator) {
	a.Describe(&s.MemberID, "Id of the member, hexadecimal. Empty while there is no cluster.")
	a.Describe(&s.RootPasswords, "Other passwords that root may have while its password is being changed.")
}

// Annotate describes g.
func (g *Guard) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdGuard")
	a.Describe(&g, `Prevents the machine of an etcd member from being destroyed while the cluster needs it. An update deletes the guard before its machine; the deletion waits until the other members have a quorum, for at most 10 minutes, and fails otherwise, so that the machine stays. It also removes a member that is no longer in the program from the cluster. Each update checks this again, also with --target and --replace.

`+"`pulumi destroy`"+` skips the check, and so does `+"`skipHealthChecks`"+` of the gate.`)
}

// Annotate describes a.
func (g *GuardArgs) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "Name of an EtcdHealth of the same cluster in the same program, with the same parent: the guard connects to the cluster as it does.")
	a.Describe(&g.Member, "Name of the member.")
	a.Describe(&g.Machine, "Id of the machine that the member runs on.")
	a.Describe(&g.Data, "Id of the volume that has the member's data. If it is replaced too, the deletion fails unless the other members are a quorum of all voting members.")
	a.Describe(&g.Shared, "Whether other members are external. Then the machine is not deleted together with the gate, as by a destroy: the cluster would go on with a dead member.")
}
