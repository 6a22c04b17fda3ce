package etcd

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*EtcdCluster)(nil)
	_ infer.Annotated = (*EtcdClusterArgs)(nil)
	_ infer.Annotated = (*EtcdClusterMachine)(nil)
)

// Annotate describes c.
func (c *EtcdCluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdCluster")
	a.Describe(&c, `An etcd cluster on virtual machines, with authentication on. An update changes one member at a time: it waits until the other members have a quorum, moves the leadership away from the member, changes it, and waits until it is healthy with its new configuration. It ends when all members are healthy. It stops at the first member that does not become healthy, and the next update continues there.

Members may be added and removed: a new member receives all data as a learner before it votes; a member that is removed from the program is removed from the cluster before its machine is destroyed. A member that lost its data joins again as a learner.`)
	a.Describe(&c.Endpoints, "Addresses of the members for clients, as ip:port. Known when the cluster is healthy.")
	a.Describe(&c.ClientURLs, "The same as `ETCDCTL_ENDPOINTS` and many clients take them: with https://, separated by commas. `caCert` belongs to it.")
	a.Describe(&c.CACert, "Certificate of the authority that signed the members' certificates, PEM.")
	a.Describe(&c.ClusterID, "Id of the cluster, hexadecimal.")
	a.Describe(&c.MemberIDs, "Ids of the members, hexadecimal, by name.")
	a.Describe(&c.MachineIDs, "Ids of the machines, by the name of the member.")
	a.Describe(&c.RootCert, "Certificate, PEM, by which a client is etcd's user root. Absent with `clientCertAuth: false`.")
	a.Describe(&c.RootKey, "Private key of `rootCert`, PEM.")
	a.Describe(&c.RootPassword, "Password of etcd's user root. Absent with `clientCertAuth: true`.")
	a.Describe(&c.BackupEncryptionKey, "With `backup`: what snapshots are encrypted with, which another cluster needs as `restore.encryptionKey`. Keep it elsewhere too: without it there is nothing to restore.")
	a.Describe(&c.BackupTimes, "With `backup`, as of the last health check, in RFC 3339: when the last snapshot (`lastBackup`) and the first that there is (`restorableFrom`) were made, and the last check of all data (`verified`) and the last drill (`lastDrill`) ended. The metrics of the members have the current ones.")
	a.Describe(&c.ClientGroupID, "Id of the security group of clients. Absent without `securityGroups`.")
	a.Describe(&c.BastionGroupID, "Id of the security group of bastions, which may log in to the members. Absent without `securityGroups`.")
}

// Annotate describes e.
func (e *EtcdClusterArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Artifacts, "Releases to download from another address than their publisher's. The only key is `etcd`: an archive with the programs etcd and etcdctl.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machines with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `etcd`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Firewall, host.AboutFirewall(etcdDoors))
	a.Describe(&e.Libvirt, server.AboutAlikeLibvirt)
	a.Describe(&e.OpenStack, server.AboutAlikeOpenStack)
	a.Describe(&e.Members, "The members and their machines. Updates change them in this order. Use an odd number: 3 tolerate the failure of one, 5 of two.")
	a.Describe(&e.SecurityGroups, "Creates EtcdSecurityGroups on OpenStack. The ports that are created for members, without `securityGroupIds` of their own, are in its member group.")
	a.Describe(&e.Etcd, "etcd's own settings, each with the meaning of etcd's option.")
	a.Describe(&e.InitialToken, "etcd's `--initial-cluster-token`, which keeps this cluster's members apart from those of other clusters. etcd reads it only when the cluster is created.")
	a.SetDefault(&e.InitialToken, config.DefaultToken)
	a.Describe(&e.RootPassword, "Password of etcd's user root, without white space, with `clientCertAuth: false`. Generated if it is not given. With `clientCertAuth: true`, root logs in with `rootCert` and `rootKey`.")
	a.Describe(&e.CA, "Authority that signs the certificates of the members and of root. Generated if it is not given.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "Names, organization and validity of the certificates.")
	a.Describe(&e.TLS, "Ready-made certificates instead of `ca`, where the authority's key is not at hand: then each member has its own in `tls`.")
	a.Describe(&e.RecoverFrom, "Name of the member from whose data the cluster is re-created (etcd's `--force-new-cluster`), once, after a majority of the members has lost its data for good: see docs/clusters.md. The others join it as learners. Data that only other members have are lost. Preview makes no checks; the update refuses to recover while the cluster has a quorum, if the member does not answer within a minute, has no data or is a learner, and if another member has later data (unless `skipHealthChecks` is on). Not on OpenStack. It happens once; for another recovery, remove it and set it again, or name another member.")
	a.Describe(&e.Backup, "Snapshots of all data in S3, encrypted, with restic: on etcd 3.5.10 or later, or the packages of Debian 13. One healthy member makes them. An update that turns it on ends when the first snapshot is there, and all of it could be read. By default `encryptionKey` is generated. All changes are live. See docs/etcd-backup.md.")
	a.Describe(&e.Restore, "The snapshot that the cluster is founded from, with all data, users and roles that it has. An update that sets it is refused while a member has data; afterwards it has no effect: remove it. With `clientCertAuth: false`, `rootPassword` must be that of the snapshot.")
	a.Describe(&e.AllowDataLoss, "Whether a change may delete the data of the only member, after which the cluster starts again empty. Only for a cluster of one member. Remove it after that update: while it is on, updates do not detect other losses of data, and warn about that.")
	a.SetDefault(&e.AllowDataLoss, false)
	a.Describe(&e.Defragment, "Any text, such as a date. Each new value defragments the databases (`etcdctl defrag`) once all members are healthy, which returns the space of deleted data to the file system: one member at a time, the leader last, after it has handed over the leadership. A member serves no requests meanwhile, and needs as much free space as its data in use. Databases below 1 MiB are skipped. See docs/etcd-cluster.md.")
	a.Describe(&e.SkipHealthChecks, "Whether to skip all health checks: for a cluster that is lost as a whole, or whose machines Pulumi cannot reach (as with macvtap interfaces, from their own host). Machines are then restarted and deleted without a check; no member is added or removed, and no alarm is disarmed. One update may rebuild at most as many members as the cluster can lose, but other changes may restart all members at once. Remove it after that update.")
	a.SetDefault(&e.SkipHealthChecks, false)
	a.Describe(&e.EnableAuth, "Whether authentication may be turned on in a cluster that is there and has none, as one with `external` members. It is turned on once no member is external any more, and then refuses all clients without a user: add the users that the applications need first. Without it, an update that would turn authentication on is refused. Remove it after that update.")
	a.SetDefault(&e.EnableAuth, false)
}

// Annotate describes m.
func (m *EtcdClusterMachine) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMachine")
	a.Describe(&m, "A member of the cluster and its machine.")
	a.Describe(&m.Name, "Name of the member and of its machine: a host name of at most 63 of a-z, 0-9 and -.")
	a.Describe(&m.IP, server.AboutIP)
	a.Describe(&m.TLS, "The ready-made certificate of the member, with `tls` of the cluster. An external member needs none.")
	a.Describe(&m.External, server.AboutExternal)
	a.SetDefault(&m.External, false)
	a.Describe(&m.Libvirt, "The virtual machine, on libvirt. Its `uri` is that of the hypervisor. Either this or `openstack`, here or for the whole cluster.")
	a.Describe(&m.OpenStack, "The virtual machine, as an instance of OpenStack. Either this or `libvirt`, here or for the whole cluster.")
}
