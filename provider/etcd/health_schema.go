package etcd

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated         = (*Health)(nil)
	_ infer.Annotated         = (*HealthArgs)(nil)
	_ infer.Annotated         = (*HealthState)(nil)
	_ infer.Annotated         = (*HealthMember)(nil)
	_ infer.Annotated         = (*Member)(nil)
	_ infer.Annotated         = (*MemberArgs)(nil)
	_ infer.Annotated         = (*MemberState)(nil)
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
	a.Describe(&h.Without, "Name of a member that is about to change, and does not count. If it leads the cluster, the leadership goes to the last of the healthy others. This gate waits again only when `triggers` change.")
	a.Describe(&h.RemoveOthers, "Whether members of the cluster that are not among `members` are removed from it, once all of `members` are healthy.")
	a.SetDefault(&h.RemoveOthers, false)
	a.Describe(&h.Version, "Release of etcd that the members are to have. It must not be lower than what runs, nor skip a minor.")
	a.Describe(&h.Authority, "Certificate, PEM, of the authority that signs the members' certificates. Another one is refused unless it was among those of `etcd.caCert` before, and the last one still is.")
	a.Describe(&h.Triggers, aboutTriggers+" With `skipHealthChecks`, those named like a member count: no more of them may change at once than the cluster can do without.")
	a.Describe(&h.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&h.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *HealthState) Annotate(a infer.Annotator) {
	a.Describe(&s.ClusterID, "Id of the cluster, hexadecimal. Empty while there is none.")
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
	a.Describe(&m.IP, "Address that the member serves on.")
	a.Describe(&m.Generation, aboutGeneration)
	a.Describe(&m.Triggers, aboutTriggers)
	a.Describe(&m.SkipHealthChecks, aboutSkipping)
	a.SetDefault(&m.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *MemberState) Annotate(a infer.Annotator) {
	a.Describe(&s.MemberID, "Id of the member, hexadecimal. Empty while there is no cluster.")
}
