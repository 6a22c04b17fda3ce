package postgres

import (
	"slices"

	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/zone"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/pgbouncer"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*PostgresCluster)(nil)
	_ infer.Annotated = (*PostgresClusterArgs)(nil)
	_ infer.Annotated = (*PostgresClusterMachine)(nil)
	_ infer.Annotated = (*PostgresClusterSettings)(nil)
	_ infer.Annotated = (*PostgresClusterDNS)(nil)
	_ infer.Annotated = (*ClusterVirtualIP)(nil)
	_ infer.Annotated = (*ClusterUpgrade)(nil)
	_ infer.Annotated = (*ClusterUpgradeFrom)(nil)
)

// Annotate describes c.
func (c *PostgresCluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresCluster")
	a.Describe(&c, `A PostgreSQL cluster under Patroni on virtual machines, with load balancers. An update ends when there is a leader, all other nodes stream from it, the number of synchronous standbys is as configured, and the load balancers connect to the right nodes. It changes one machine at a time: first the nodes that are not in the cluster, then the others in the order of the list, then the load balancers.

Before a node is rebuilt, or its Patroni restarted, an update waits until the cluster can do without it. If it is the leader, there is a switchover first: to a node that has already changed, or else to the last one of the list, if it may become leader; with synchronous replication only a synchronous standby may. So an update has a switchover for each node that is the leader when its turn comes. After each node, the update waits until it streams again with its new configuration in force. It stops at the first machine that does not become healthy, and the next update continues there.

Changes that Patroni and PostgreSQL apply while they run, such as parameters, timeouts and passwords, cause no switchover. Nodes may be added and removed; the others are not changed. If the leader is removed, there is a switchover first.

Patroni logs in to etcd as its own user, which may read and write only below `+"`<patroni.namespace>/<patroni.scope>/`"+`. It uses etcd's gRPC gateway: an EtcdCluster needs `+"`grpcGatewayEnabled: true` and `clientCertAuth: false`.")
	a.Describe(&c.PrimaryEndpoints, "Addresses of the load balancers for connections to the primary, as ip:port, of which `virtualIp` is the first. Like all outputs, known when the cluster is healthy.")
	a.Describe(&c.ReplicaEndpoints, "Addresses of the load balancers for connections to replicas, as ip:port, of which `virtualIp` is the first.")
	a.Describe(&c.NodeEndpoints, "Addresses of PostgreSQL on the nodes, as ip:port: for connections without a load balancer, where `postgres.access` allows them.")
	a.Describe(&c.PoolerPrimary, "With `pooler`: addresses of the load balancers for connections to the pool of the primary, as ip:port, of which `virtualIp` is the first.")
	a.Describe(&c.PoolerReplica, "With `pooler`: the same for the pools of replicas.")
	a.Describe(&c.CACert, "Certificate of the authority that signed those of PostgreSQL and Patroni's API, PEM.")
	a.Describe(&c.SuperuserPassword, "Password of PostgreSQL's user `postgres`.")
	a.Describe(&c.ReplicatorPassword, "Password of PostgreSQL's user `replicator`.")
	a.Describe(&c.ClientCert, "Client certificate, PEM: for Patroni's REST API, and for connections as `postgres`, beside the password.")
	a.Describe(&c.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&c.SystemID, "PostgreSQL's system identifier of the cluster.")
	a.Describe(&c.BackupStanza, "With `backup`: pgBackRest's stanza, which another cluster needs as `restore.stanza`.")
	a.Describe(&c.BackupEncryptionKey, "With `backup`: what backups are encrypted with, which another cluster needs as `restore.encryptionKey`. Keep it elsewhere too: without it there is nothing to restore.")
	a.Describe(&c.BackupTimes, "With `backup`, as of the last health check, in RFC 3339: when the last backup (`lastBackup`), the last full one (`lastFullBackup`), the last check of the repository (`verified`) and the last drill (`lastDrill`) ended, and from and to when the cluster could be restored (`restorableFrom`, `restorableTo`). The metrics of the nodes have the current ones.")
	a.Describe(&c.MachineIDs, "Ids of the machines, by the name of the node or load balancer.")
}

// Annotate describes e.
func (e *PostgresClusterArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Fluentbit, "Forwards the logs of the machines with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `patroni` (including PostgreSQL's log), `patroniSettings`, `pooler` (with `pooler`), `haproxy`, `keepalived` (with `virtualIp`), `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Firewall, host.AboutFirewall(slices.Concat(postgresDoors, poolerDoors, loadBalancerDoors, poolDoors)))
	a.Describe(&e.Libvirt, server.AboutAlikeLibvirt+" A data volume is for the nodes only.")
	a.Describe(&e.OpenStack, server.AboutAlikeOpenStack+" A data volume is for the nodes only.")
	a.Describe(&e.Nodes, "The nodes and their machines. Updates change them in this order. With three nodes, commits still have a synchronous standby while one is unavailable.")
	a.Describe(&e.LoadBalancers, "The load balancers and their machines, at least one. With two, clients that know both, or `virtualIp`, can use the other while one changes.")
	a.Describe(&e.Etcd, "How Pulumi connects to the etcd cluster, as root with a password: it creates Patroni's user and role. The machines get the endpoints, the CA certificate and Patroni's user.")
	a.Describe(&e.Postgres, "PostgreSQL's own settings.")
	a.Describe(&e.Patroni, "Patroni's settings, each with the meaning of Patroni's setting. Nodes have their own names, so `name` must not be given.")
	a.Describe(&e.Haproxy, "HAProxy's settings. By default the addresses of the nodes are in its configuration. With `domain`, `nameserverIps` and `postgresNodesMaxCount`, HAProxy resolves them by DNS instead; in the zone of `dns` their name is `nodes.<domain>`.")
	a.Describe(&e.ContainerRegistry, "Runs HAProxy from an image of this registry instead of the distribution's package.")
	a.Describe(&e.Pooler, pgbouncer.AboutPooler+" Load balancers serve port 6432 for the pool of the primary, and 6433 for those of replicas.")
	a.Describe(&e.VirtualIP, keepalived.AboutVirtualIP+" Clients then need to know no other address, and the domain of `dns` has this one.")
	a.Describe(&e.DNS, "Creates a DNS zone with the names of the machines.")
	a.Describe(&e.CA, "Authority that signs the certificates of PostgreSQL and of Patroni's API and its clients. Generated if it is not given. Use another authority than etcd's: anyone with a client certificate of it can use Patroni's REST API, including restarts and configuration.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "Names, organization and validity of the certificates. Those of the nodes name the load balancers too, since clients verify the address that they connect to.")
	a.Describe(&e.Backup, backup.AboutBackup+" An update that turns it on ends when the first backup is there, and was found complete. By default `encryptionKey` is generated, and `stanza` is `patroni.scope` and eight digits that are made once.")
	a.Describe(&e.Restore, backup.AboutRestore)
	a.Describe(&e.StandbyOf, patroni.AboutStandby+" `postgres.superuserPassword` and `postgres.replicatorPassword` must be those of the source, since roles come with the data. With `standbyOf.endpoints`, `ca` is required, which the source must trust, as this cluster must trust the source's: by the same `ca`, or `trustedCaCerts` at both.")
	a.Describe(&e.SkipHealthChecks, "Whether to skip all health checks: for a cluster that is lost as a whole, or whose machines Pulumi cannot reach (as with macvtap interfaces, from their own host). One update may then rebuild at most one node. Remove it after that update.")
	a.SetDefault(&e.SkipHealthChecks, false)
	a.Describe(&e.AllowDataLoss, "Whether a change may delete the data of the only node, after which the cluster starts again empty. Only for a cluster of one node. Remove it after that update: while it is on, updates do not detect other losses of data, and warn about that.")
	a.SetDefault(&e.AllowDataLoss, false)
	a.Describe(&e.ApplyRestarts, "Whether updates restart PostgreSQL where parameters wait for that, after all nodes have changed: also if these were changed before, or by others. One node after the other, each when the cluster is healthy: replicas first, then the leader, after a switchover. Where a parameter is lowered of which replicas may not have less than the leader (`max_connections`, `max_locks_per_transaction`, `max_prepared_transactions`, `max_wal_senders`, `max_worker_processes`), the leader is restarted without a switchover, and replicas after it. Otherwise `patronictl restart --pending` does it.")
	a.SetDefault(&e.ApplyRestarts, false)
	a.Describe(&e.ReindexCollations, "Whether nodes may sort text in another way than when indexes were made, as with another release of the operating system: without it, an update stops at the first node that does, if any database has a collation of the C library or ICU (not `C`, `POSIX` or `C.UTF-8`). With it the update goes on, and as soon as such a node leads, all indexes that may depend on it are made anew (`REINDEX INDEX CONCURRENTLY`), and the versions noted. Until then queries by these indexes may miss rows. It asks the nodes on port 5432, from where Pulumi runs. Afterwards it may stay, or be taken out.")
	a.SetDefault(&e.ReindexCollations, false)
	a.Describe(&e.Upgrade, "Brings the data to another major version of PostgreSQL, in place: to `postgres.version`. See docs/upgrade.md. Until it is taken out, nodes have the packages of both versions.")
	a.Describe(&e.UpgradeFrom, "Another cluster, of the same or an earlier major version of PostgreSQL, whose place this new one comes to take (blue-green): it is filled by logical replication while that one serves, and refuses writes of clients. Taking it out cuts over. It cannot be added to a cluster that exists. `ca` is required, which the source must trust, as this cluster must trust the source's: by the same `ca`, or `trustedCaCerts` at both. docs/upgrade.md has the steps.")
}

// Annotate describes m.
func (m *PostgresClusterMachine) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterMachine")
	a.Describe(&m, "A node or load balancer of the cluster and its machine.")
	a.Describe(&m.Name, "Name of the machine, and in `nodes` also of the node: Patroni's `name`. A host name of at most 63 of a-z, 0-9 and -.")
	a.Describe(&m.IP, server.AboutIP)
	a.Describe(&m.External, server.AboutExternal+" The names of external nodes are those that Patroni gives them.")
	a.Describe(&m.Libvirt, "The virtual machine, on libvirt. Its `uri` is that of the hypervisor. In `loadBalancers` it has no data volume. Either this or `openstack`, here or for the whole cluster.")
	a.Describe(&m.OpenStack, "The virtual machine, as an instance of OpenStack. In `loadBalancers` it has no data volume. Either this or `libvirt`, here or for the whole cluster.")
}

// Annotate describes s.
func (s *PostgresClusterSettings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterSettings")
	a.Describe(&s, "PostgreSQL's own settings.")
	a.Describe(&s.Version, "Major version of PostgreSQL, from 14 on, like 17, to install from the PostgreSQL project's own apt repository, with Patroni. Without it, both are the distribution's. A change is refused without `upgrade`, which brings the data to another one.")
	a.Describe(&s.Params, "Parameters of PostgreSQL by name: https://www.postgresql.org/docs/current/runtime-config.html. They become `postgresql.parameters` of Patroni's dynamic configuration. A change is applied to the running cluster, and a removed parameter returns to its default. "+patroni.AboutPresets+" Parameters that need a restart of PostgreSQL take effect after `patronictl restart --pending`, or with `applyPendingRestarts`.")
	a.Describe(&s.Extensions, patroni.AboutExtensions+" A library that is loaded when PostgreSQL starts takes effect after `patronictl restart --pending`, or with `applyPendingRestarts`.")
	a.Describe(&s.Access, patroni.AboutAccess)
	a.Describe(&s.ReplicatorPassword, "Password of the user `replicator`, which nodes use for replication. Generated if it is not given. A change is applied to the running cluster.")
	a.Describe(&s.SuperuserPassword, "Password of the user `postgres`. Generated if it is not given. A change is applied to the running cluster.")
	a.Describe(&s.RewindPassword, "Password of the user `rewind_user`, which pg_rewind uses, with only the permissions that it needs. Without it, pg_rewind uses the superuser.")
}

// Annotate describes v.
func (v *ClusterVirtualIP) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterVirtualIp")
	a.Describe(&v, keepalived.AboutVirtualIP)
	a.Describe(&v.Address, keepalived.AboutAddress+" Those of this cluster name it.")
	a.Describe(&v.VirtualRouterID, keepalived.AboutRouterID)
	a.Describe(&v.AdvertisementIntervalMs, keepalived.AboutInterval)
	a.SetDefault(&v.AdvertisementIntervalMs, keepalived.DefaultInterval)
}

// Annotate describes d.
func (d *PostgresClusterDNS) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterDns")
	a.Describe(&d, "A zone in etcd with the names of a cluster's machines: each machine by its name, all nodes as `nodes`, and the load balancers, or their `virtualIp`, as the domain itself. Clients can use these names.")
	a.Describe(&d.Etcd, "How Pulumi connects to the etcd cluster that has the zone, as a user that may write the zone's key.")
	a.Describe(&d.KeyPrefix, "Prefix of the zone's key, which is `<keyPrefix><domain>`: the `keyPrefix` of the CorednsServers.")
	a.SetDefault(&d.KeyPrefix, zone.DefaultKeyPrefix)
	a.Describe(&d.Domain, "Name of the zone, in lower case and without a trailing dot, like postgres.example.org.")
	a.Describe(&d.Nameservers, "Names of the servers of the zone, outside of it and with a trailing dot, like dns-1.example.org.")
}

// Annotate describes u.
func (u *ClusterUpgrade) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterUpgrade")
	a.Describe(&u, "A major upgrade of PostgreSQL, in place, by pg_upgrade with linked files. It begins only if all checks pass: of pg_upgrade itself, and of packages, extensions, collations, columns of `reg*` types, prepared transactions, logical replication slots, tablespaces, backups and room. All nodes stop for it, the leader first; then it leads with the new version, and replicas are copied anew, one at a time. One of them keeps the former data until `finish`. An update that is killed, or a machine that fails meanwhile, does not stop it: the nodes go on, or back, by themselves, and the next update waits for that.")
	a.Describe(&u.From, "Major version that the data have now, like 15. It must be less than `postgres.version`.")
	a.Describe(&u.CheckOnly, "Whether only to check whether the upgrade can be made, while PostgreSQL runs. The update fails with all that is in the way.")
	a.SetDefault(&u.CheckOnly, false)
	a.Describe(&u.Revert, "Whether to go back to the data as they were before the upgrade, in the version `from`. What was written since is lost. Afterwards set `postgres.version` back to `from`, and take `upgrade` out.")
	a.SetDefault(&u.Revert, false)
	a.Describe(&u.Finish, "Whether to delete the data of the version `from`. There is no way back then but a backup. Afterwards take `upgrade` out: Patroni then restarts, one node at a time.")
	a.SetDefault(&u.Finish, false)
	a.Describe(&u.WithoutBackup, "Whether to upgrade without a backup of the last 24 hours. Required without `backup`.")
	a.SetDefault(&u.WithoutBackup, false)
}

// Annotate describes u.
func (u *ClusterUpgradeFrom) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterUpgradeFrom")
	a.Describe(&u, "A cluster whose place another one comes to take, which is filled from it by logical replication: roles with their passwords, databases with their schemas, rows, and at the cutover the numbers of sequences. It must have `wal_level: logical`. Large objects, and tables without a primary key or another replica identity, are refused by name, and so is a schema that is changed meanwhile.")
	a.Describe(&u.Endpoints, "Addresses or names of the source with their ports, like `primaryEndpoints` or `nodeEndpoints` of its PostgresCluster. The nodes of this cluster connect to them, and Pulumi does. The certificates there must name them.")
	a.Describe(&u.SuperuserPassword, "Password of the source's user `postgres`: the output `superuserPassword` of its PostgresCluster. The database keeps it until the cutover, where superusers alone can read it.")
}
