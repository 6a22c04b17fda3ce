package etcd

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
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
	a.Describe(&c, `An etcd cluster on virtual machines, with authentication on. An update ends when all of its members are healthy, and changes one member at a time: each waits until the others hold a quorum without it, hands over the leadership if it has it, and the next one waits until it is healthy again, with its new configuration in force. An update stops at the first member that does not become healthy, and the next one goes on there.

Members may be added and removed: a new one receives all data as a learner before it votes, one that is removed from the program is removed from the cluster before its machine is. A member whose data are gone is brought back the same way.`)
	a.Describe(&c.Endpoints, "Addresses of the members for clients, as ip:port. Known when the cluster is healthy.")
	a.Describe(&c.CACert, "Certificate of the authority that signed the members' certificates, PEM.")
	a.Describe(&c.ClusterID, "Id of the cluster, hexadecimal.")
	a.Describe(&c.MemberIDs, "Ids of the members, hexadecimal, by name.")
	a.Describe(&c.MachineIDs, "Ids of the machines, by the name of the member.")
	a.Describe(&c.RootCert, "Certificate, PEM, by which a client is etcd's user root. Absent with `clientCertAuth: false`.")
	a.Describe(&c.RootKey, "Private key of `rootCert`, PEM.")
	a.Describe(&c.RootPassword, "Password of etcd's user root. Absent with `clientCertAuth: true`.")
	a.Describe(&c.ClientGroupID, "Id of the security group of clients. Absent without `securityGroups`.")
	a.Describe(&c.BastionGroupID, "Id of the security group of those who may log in to the members. Absent without `securityGroups`.")
}

// Annotate describes e.
func (e *EtcdClusterArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Artifacts, "Releases to take from elsewhere than from their publisher. Known is `etcd`: an archive with the programs etcd and etcdctl.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machines, by Fluent Bit: needs `forward`, `dynamicConfig` or both. The services that `tags` may name are `etcd`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Members, "The members, and the machine that each is on. Changes go through them in this order. An odd number: 3 do without one of them, 5 without two.")
	a.Describe(&e.SecurityGroups, "Makes EtcdSecurityGroups on OpenStack. The ports that are made for members, and are given no `securityGroupIds`, are in their group of members.")
	a.Describe(&e.Etcd, "etcd's own settings. Each has the name and meaning that etcd gives it.")
	a.Describe(&e.InitialToken, "Name that keeps this cluster's members apart from those of other clusters. etcd reads it when the cluster is founded, and never again.")
	a.SetDefault(&e.InitialToken, config.DefaultToken)
	a.Describe(&e.RootPassword, "Password of etcd's user root, without white space, with `clientCertAuth: false`. One is made if it is not given. With certificates, root is whoever has `rootCert` and `rootKey`.")
	a.Describe(&e.CA, "Authority that signs the certificates of the members and of root. One is made if it is not given.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "What the certificates are to be like.")
	a.Describe(&e.RecoverFrom, "Name of the member from whose data the cluster is re-created (etcd's `--force-new-cluster`), once, after a majority of the members has lost its data for good: see docs/clusters.md. The others join it as learners. What other members have and this one has not is given up. Preview asks nobody; the update refuses it while the cluster has a quorum, where the member does not answer within a minute, has no data or is a learner, and where another member has later data (unless `skipHealthChecks` is on). Not on OpenStack. Does nothing more when it is done, until it was taken out and is given again, or names another member.")
	a.Describe(&e.AllowDataLoss, "Whether a change may delete the data of the only member, and the cluster begin again empty. For a cluster of one member only: with more it changes nothing. Take it out again after that update: while it stands, no update notices data that were lost otherwise, and each warns of that.")
	a.SetDefault(&e.AllowDataLoss, false)
	a.Describe(&e.Defragment, "Any text, like a date. With each new one, etcd's databases are defragmented once all members are healthy, which gives the space of deleted data back to the disk: one member at a time, the one that leads last, after it has handed over the leadership. A member neither reads nor writes meanwhile, and needs as much free space as is in use. Databases below 1 MiB are left alone. See docs/etcd-cluster.md.")
	a.Describe(&e.SkipHealthChecks, "Whether to wait for nothing: for a cluster that is lost as a whole, or whose machines cannot be reached from where Pulumi runs (as with macvtap interfaces, from their own host). Nobody is asked before a machine restarts or is deleted, no member is added or removed, no alarm disarmed. No more members may be rebuilt in one update then than the cluster can do without, but other changes may restart all at once. Take it out after that update.")
	a.SetDefault(&e.SkipHealthChecks, false)
}

// Annotate describes m.
func (m *EtcdClusterMachine) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterMachine")
	a.Describe(&m, "A member of the cluster and the machine it is on.")
	a.Describe(&m.Name, "Name of the member and of its machine: a host name of at most 63 of a-z, 0-9 and -.")
	a.Describe(&m.Libvirt, "The virtual machine, on libvirt. Its `uri` says on which hypervisor. Either this or `openstack`.")
	a.Describe(&m.OpenStack, "The virtual machine, as an instance of OpenStack. Either this or `libvirt`.")
}
