package config

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated            = (*Settings)(nil)
	_ infer.Annotated            = (*Cluster)(nil)
	_ infer.Annotated            = (*Member)(nil)
	_ infer.Annotated            = (*Auth)(nil)
	_ infer.Annotated            = (*TLS)(nil)
	_ infer.Enum[CompactionMode] = CompactionMode("")
	_ infer.Enum[ClusterState]   = ClusterState("")
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdSettings")
	a.Describe(&s, "etcd's own settings, the same on each member. Each has the name and meaning that etcd gives it: https://etcd.io/docs/latest/op-guide/configuration/")
	a.Describe(&s.Version, "Release of etcd to take from its publisher, like 3.5.26. Without it, the distribution's package is installed. Patroni cannot work with 3.4.42, 3.5.28 and 3.6.9, which are refused with `grpcGatewayEnabled`, and with the releases after these only if it is new enough: see `etcd` of PostgresServer. From 3.5 to 3.6 all members must run 3.5.26 or a later 3.5 before: another step is refused.")
	a.Describe(&s.AutoCompactionMode, "How the history to keep is counted: `periodic` by age, `revision` by number of revisions.")
	a.SetDefault(&s.AutoCompactionMode, defaultCompactionMode)
	a.Describe(&s.AutoCompactionRetention, "History to keep: a number of revisions, or for `periodic` a duration like 30m or 12h, or a number of hours.")
	a.SetDefault(&s.AutoCompactionRetention, defaultCompactionRetention)
	a.Describe(&s.SpaceQuota, "Size in bytes that the database may reach before etcd refuses all writes (alarm NOSPACE): etcd's `--quota-backend-bytes`, from 1048576 (1 MiB) to 8589934592 (8 GiB), the largest that etcd advises. Keep it below the memory of the machine, into which etcd maps its database, and below the size of the data volume, where log and snapshots need room too. It may grow while alarm NOSPACE stands, which mends that.")
	a.SetDefault(&s.SpaceQuota, MaxSpaceQuota)
	a.Describe(&s.HeartbeatInterval, "Time in milliseconds between two heartbeats of the leader.")
	a.SetDefault(&s.HeartbeatInterval, defaultHeartbeatMs)
	a.Describe(&s.ElectionTimeout, "Time in milliseconds without a heartbeat after which a member stands for election: at least five times `heartbeatInterval`, at most 50000.")
	a.SetDefault(&s.ElectionTimeout, defaultElectionMs)
	a.Describe(&s.GRPCGatewayEnabled, "Whether to serve the v3 API over HTTP with JSON too. Needs `clientCertAuth: false`, since etcd takes no user from a certificate there.")
	a.SetDefault(&s.GRPCGatewayEnabled, defaultGRPCGateway)
	a.Describe(&s.ClientCertAuth, "Whether clients authenticate by certificate, whose common name is the etcd user. Otherwise by user name and password. Connections are encrypted either way.")
	a.SetDefault(&s.ClientCertAuth, defaultClientCertAuth)
}

// Annotate describes c.
func (c *Cluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMembership")
	a.Describe(&c, "The cluster that the member belongs to. It counts as long as the member has no data, and never again.")
	a.Describe(&c.InitialState, "`new` for the members that found the cluster: without data they found it together, as soon as all of them are there. `existing` for one that never founds. Either joins a cluster that runs, once it was added there, and without data waits until then.")
	a.SetDefault(&c.InitialState, New)
	a.Describe(&c.InitialToken, "Name that keeps this cluster's members apart from those of other clusters.")
	a.SetDefault(&c.InitialToken, DefaultToken)
	a.Describe(&c.InitialMembers, "The members of the cluster, this one among them. One without data asks the others what to do, and those that found a cluster need the same list.")
}

// Annotate describes m.
func (m *Member) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMember")
	a.Describe(&m, "A member of the cluster as the others know it.")
	a.Describe(&m.Name, "Name of the member: the `name` of its `EtcdServer`.")
	a.Describe(&m.IP, "Address of the member: the first of its machine.")
}

// Annotate describes b.
func (b *Auth) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdAuth")
	a.Describe(&b, "Turns etcd's authentication on.")
	a.Describe(&b.Bootstrap, "Whether this member makes the user root and enables authentication, as soon as the cluster has a quorum. Set it on one member only.")
	a.SetDefault(&b.Bootstrap, false)
	a.Describe(&b.RootPassword, "Password of root, without white space. Required for `clientCertAuth: false` on the member that bootstraps, and refused elsewhere: with certificates, root is whoever has a client certificate for the common name root. A change reaches the running cluster.")
}

// Annotate describes t.
func (t *TLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdTls")
	a.Describe(&t, "Ready-made certificates of a member.")
	a.Describe(&t.CACert, "Certificate, PEM, of the authority that signs the certificates of members and clients.")
	a.Describe(&t.ServerCert, "Certificate of the member, PEM, followed by those between it and the authority: for the usages server and client authentication, and for every address that clients and members use, 127.0.0.1 among them.")
	a.Describe(&t.ServerKey, "Private key of `serverCert`, PEM.")
}

// Values lists the modes.
func (CompactionMode) Values() []infer.EnumValue[CompactionMode] {
	return []infer.EnumValue[CompactionMode]{
		{Name: "Periodic", Value: Periodic, Description: "By age."},
		{Name: "Revision", Value: Revision, Description: "By number of revisions."},
	}
}

// Values lists the states.
func (ClusterState) Values() []infer.EnumValue[ClusterState] {
	return []infer.EnumValue[ClusterState]{
		{Name: "New", Value: New, Description: "The member is one of those that found the cluster."},
		{Name: "Existing", Value: Existing, Description: "The member joins a cluster that runs."},
	}
}
