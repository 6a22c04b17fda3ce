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
	aboutConnection = "How the cluster is reached, as its user root. A change of it changes nothing in the cluster."
	aboutTriggers   = "What the resource is about to follow: with any change of these, it waits again."
	aboutSkipping   = "Whether to wait for nothing: for a cluster that is lost as a whole, or whose machines cannot be reached from where Pulumi runs (as with macvtap interfaces, from their own host)."
	aboutGeneration = "The generation of its state that the machine must have in force: the output `generation` of its server. Read from the metrics of its node exporter."
	aboutTimeouts   = "It waits for 30 minutes at most, or as `customTimeouts` say."
)

// Annotate describes h.
func (h *Health) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdHealth")
	a.Describe(&h, `A gate: what depends on it comes after an etcd cluster is healthy.

It waits when it is made, and again with every change of its inputs; nothing of it is ever replaced. A member is healthy if it votes, sees a leader, belongs to the cluster and reports no alarm. While it waits, its progress line says what is missing, by member. `+aboutTimeouts)
}

// Annotate describes a.
func (h *HealthArgs) Annotate(a infer.Annotator) {
	a.Describe(&h.Etcd, aboutConnection)
	a.Describe(&h.Members, "The members that have to be healthy.")
	a.Describe(&h.Require, "How many of `members`: `all`, or a `quorum` of the cluster. When it is made, a gate that requires a quorum does not wait for one: members that are about to found a cluster have none.")
	a.SetDefault(&h.Require, All)
	a.Describe(&h.Without, "Name of a member that is about to change, and does not count. If it leads the cluster, the leadership goes to the last of the healthy others. One of the others whose machine has lost its data becomes a member again first, if the quorum needs it. This gate waits again only when `triggers` change.")
	a.Describe(&h.RemoveOthers, "Whether members of the cluster that are not among `members` are removed from it (as `etcdctl member remove` does), once all of `members` are healthy. With `require: quorum`, those that do not answer, once a quorum does.")
	a.SetDefault(&h.RemoveOthers, false)
	a.Describe(&h.Data, "What the data of each member depend on, by its name: when that changes, its data are lost. Of a cluster of one or two members such a change is refused.")
	a.Describe(&h.AllowDataLoss, "Whether the only member of a cluster may lose its data, and the cluster begin again with none.")
	a.SetDefault(&h.AllowDataLoss, false)
	a.Describe(&h.Recovery, "Id of the recovery of the cluster: the output `recovery` of EtcdRecovery. When another one comes, a gate that requires a quorum does not wait, and the data may be older than they were.")
	a.Describe(&h.Version, "Release of etcd that the members are to have. It must not be lower than what runs, nor skip a minor, nor go to 3.6 from a release before 3.5.26, with which members that were learners may not start. A preview asks the members, too.")
	a.Describe(&h.Authority, "Certificate, PEM, of the authority that signs the members' certificates. Another one is refused unless it was among those of `etcd.caCert` before, and the last one still is.")
	a.Describe(&h.Triggers, aboutTriggers+" With `skipHealthChecks`, those named like a member count: no more of them may change at once than the cluster can do without.")
	a.Describe(&h.Defragment, "Any text, like a date. With each new one, all members are defragmented, once all of `members` are healthy: one at a time, the one that leads last, after it has handed over the leadership. A database of less than 1 MiB is left alone. For `require: all`.")
	a.Describe(&h.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&h.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&s.ClusterID, "Id of the cluster, hexadecimal. Empty while there is none.")
	a.Describe(&s.Revision, "Revision of the cluster when the gate was last passed. A cluster at a lower one is refused: it was re-created.")
	a.Describe(&s.Updates, "How many times the gate was updated.")
	a.Describe(&s.LeftAt, "Which of the `updates` had a member leave the program last. 0 when the cluster has been seen without those that left.")
	a.Describe(&s.Joining, "Names of the members that the program had when the gate last saw a quorum: no others can have joined the cluster since.")
	a.Describe(&s.Left, "Members that left the program and whose machines may be there still. While one answers, no other member gets its address. Where no member of the program answers, these are asked: they may hold the quorum.")
	a.Describe(&s.Identity, "What the key `quorum/identity` of the cluster has: any text, made once. A gate with `removeOthers` and `require: all` puts it there. A cluster that has another one, or none any more, is refused: it was re-created.")
	a.Describe(&s.RootPasswords, "Other passwords that root may have, while a change of it is under way.")
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
}

// Values lists the requirements.
func (Requirement) Values() []infer.EnumValue[Requirement] {
	return []infer.EnumValue[Requirement]{
		{Name: "All", Value: All, Description: "All members."},
		{Name: "Quorum", Value: Quorum, Description: "As many as the cluster needs to answer."},
	}
}

// Annotate describes m.
func (m *Member) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdMember")
	a.Describe(&m, `The place of a machine in an etcd cluster that runs: https://etcd.io/docs/latest/op-guide/runtime-configuration/

It brings the machine in, and waits until it is a healthy member that votes. A machine that is no member yet is added as a learner, which takes no part in a quorum, and promoted once it has all data. One whose data are gone is removed first; one with another address is told to the others. Deleted, the member is removed from the cluster, unless those that stay could not hold a quorum.

Without a cluster to join, there is nothing to do when it is made: the machine is one of those that found it. `+aboutTimeouts)
}

// Annotate describes a.
func (m *MemberArgs) Annotate(a infer.Annotator) {
	a.Describe(&m.Etcd, aboutConnection)
	a.Describe(&m.Name, "Name of the member. Defaults to the name of the resource.")
	a.Describe(&m.ClusterID, "Id of the cluster to join, as EtcdHealth has it. With it, a cluster that does not answer is waited for; without it, the machine is taken for one of those that found the cluster. It counts when the member is made.")
	a.Describe(&m.IP, "Address that the member serves on.")
	a.Describe(&m.Generation, aboutGeneration)
	a.Describe(&m.Triggers, aboutTriggers)
	a.Describe(&m.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&m.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *MemberState) Annotate(a infer.Annotator) {
	a.Describe(&s.MemberID, "Id of the member, hexadecimal. Empty while there is no cluster.")
	a.Describe(&s.RootPasswords, "Other passwords that root may have, while a change of it is under way.")
}

// Annotate describes g.
func (g *Guard) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdGuard")
	a.Describe(&g, `Keeps the machine of an etcd member from being destroyed while the cluster cannot do without it. An update deletes the guard before the machine that it names; the deletion waits, for 10 minutes at most, until the other members hold a quorum, and fails otherwise, so that the machine stays. A member that left the program is removed from the cluster then. It is asked in each update that tries, also with --target and --replace.

`+"`pulumi destroy`"+` asks nothing, nor does `+"`skipHealthChecks`"+` of the gate.`)
}

// Annotate describes a.
func (g *GuardArgs) Annotate(a infer.Annotator) {
	a.Describe(&g.Gate, "Name of an EtcdHealth of the same cluster in the same program, with the same parent: it says how the cluster is reached.")
	a.Describe(&g.Member, "Name of the member.")
	a.Describe(&g.Machine, "Id of the machine that the member runs on.")
	a.Describe(&g.Data, "Id of what its data lie on. While that is being replaced, too, or is another, the deletion fails where the others are no quorum of all members that vote.")
}
