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
	a.Describe(&s, "etcd's own settings, the same on each member. Each becomes the etcd option that its description names, in /etc/etcd/conf.yml: https://etcd.io/docs/latest/op-guide/configuration/")
	a.Describe(&s.Version, "Release of etcd to download from its publisher, like 3.5.26. Without it, the distribution's package is installed. Patroni cannot work with 3.4.42, 3.5.28 and 3.6.9, which are refused with `grpcGatewayEnabled`; later releases need a recent Patroni: see `etcd` of PostgresServer. Before an upgrade from 3.5 to 3.6 all members must run 3.5.26 or a later 3.5; other upgrades to 3.6 are refused.")
	a.Describe(&s.AutoCompactionMode, "etcd's `--auto-compaction-mode`: whether the retained history is measured by age (`periodic`) or by number of revisions (`revision`).")
	a.SetDefault(&s.AutoCompactionMode, defaultCompactionMode)
	a.Describe(&s.AutoCompactionRetention, "etcd's `--auto-compaction-retention`, the history to retain: a number of revisions, or for `periodic` a duration like 30m or 12h, or a number of hours. Required with `periodic`. 0 keeps all history, until the database is full.")
	a.SetDefault(&s.AutoCompactionRetention, defaultCompactionRetention)
	a.Describe(&s.SpaceQuota, "etcd's `--quota-backend-bytes`: size in bytes that the database may reach before etcd refuses all writes (alarm NOSPACE), from 1048576 (1 MiB) to 8589934592 (8 GiB), the largest that etcd advises. Keep it below the memory of the machine, into which etcd maps its database, and below the size of the data volume, where log and snapshots need room too. It may be increased while alarm NOSPACE is raised: the update then disarms the alarm.")
	a.SetDefault(&s.SpaceQuota, MaxSpaceQuota)
	a.Describe(&s.HeartbeatInterval, "etcd's `--heartbeat-interval`: milliseconds between two heartbeats of the leader, from 10 to 10000.")
	a.SetDefault(&s.HeartbeatInterval, defaultHeartbeatMs)
	a.Describe(&s.ElectionTimeout, "etcd's `--election-timeout`: milliseconds without a heartbeat after which a member starts an election, at least five times `heartbeatInterval`, from 50 to 50000.")
	a.SetDefault(&s.ElectionTimeout, defaultElectionMs)
	a.Describe(&s.GRPCGatewayEnabled, "etcd's `--enable-grpc-gateway`: whether to serve the v3 API as JSON over HTTP too. Requires `clientCertAuth: false`, since etcd does not take the user from a certificate there.")
	a.SetDefault(&s.GRPCGatewayEnabled, defaultGRPCGateway)
	a.Describe(&s.ClientCertAuth, "etcd's `--client-cert-auth`: whether clients authenticate by certificate, whose common name is the etcd user. Otherwise they authenticate by user name and password. Connections are encrypted in both cases.")
	a.SetDefault(&s.ClientCertAuth, defaultClientCertAuth)
}

// Annotate describes c.
func (c *Cluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMembership")
	a.Describe(&c, "The cluster that the member belongs to. etcd reads it only while the member has no data.")
	a.Describe(&c.InitialState, "etcd's `--initial-cluster-state`. `new`: members without data create the cluster together, as soon as all of them run. `existing`: the member never creates a cluster. With both, a member without data joins a running cluster once it was added there, and waits until then.")
	a.SetDefault(&c.InitialState, New)
	a.Describe(&c.InitialToken, "etcd's `--initial-cluster-token`, which keeps this cluster's members apart from those of other clusters.")
	a.SetDefault(&c.InitialToken, DefaultToken)
	a.Describe(&c.InitialMembers, "The members of the cluster, including this one: etcd's `--initial-cluster`. A member without data asks the others whether to join or to create the cluster; the members that create it need the same list.")
}

// Annotate describes m.
func (m *Member) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMember")
	a.Describe(&m, "A member of the cluster, by its name and peer address.")
	a.Describe(&m.Name, "Name of the member: the `name` of its `EtcdServer`.")
	a.Describe(&m.IP, "Address of the member: the first of its machine.")
}

// Annotate describes b.
func (b *Auth) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdAuth")
	a.Describe(&b, "Enables etcd's authentication (`etcdctl auth enable`).")
	a.Describe(&b.Bootstrap, "Whether this member creates the user root and enables authentication, as soon as the cluster has a quorum. Set it on one member only.")
	a.SetDefault(&b.Bootstrap, false)
	a.Describe(&b.RootPassword, "Password of root, without white space. Required with `clientCertAuth: false` on the member with `bootstrap`, and refused elsewhere: with certificates, root logs in with a client certificate for the common name root. A change is applied to the running cluster.")
}

// Annotate describes t.
func (t *TLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdTls")
	a.Describe(&t, "Ready-made certificates of a member.")
	a.Describe(&t.CACert, "Certificate, PEM, of the authority that signs the certificates of members and clients.")
	a.Describe(&t.ServerCert, "Certificate of the member, PEM, followed by the intermediate certificates. It must have the usages server and client authentication, and name every address that clients and members use, including 127.0.0.1. Used for etcd's `cert-file`, for clients and peers.")
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
		{Name: "New", Value: New, Description: "The member is one of those that create the cluster."},
		{Name: "Existing", Value: Existing, Description: "The member joins a running cluster."},
	}
}
