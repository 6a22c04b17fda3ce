package postgres

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/zone"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*PostgresCluster)(nil)
	_ infer.Annotated = (*PostgresClusterArgs)(nil)
	_ infer.Annotated = (*PostgresClusterMachine)(nil)
	_ infer.Annotated = (*PostgresClusterSettings)(nil)
	_ infer.Annotated = (*PostgresClusterDNS)(nil)
)

// Annotate describes c.
func (c *PostgresCluster) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresCluster")
	a.Describe(&c, `A PostgreSQL cluster under Patroni on virtual machines, with load balancers. An update ends when a node leads, all others stream from it, as many as commits wait for are synchronous standbys, and the load balancers lead to them. It changes one machine at a time: first the nodes that are out of the cluster, then the others in their order, then the load balancers.

Before a node is rebuilt, or its Patroni restarted, an update waits until the others do without it. If it leads, it hands over first: to a node that has changed already, or else to the last one, as far as these may lead; with synchronous replication only a synchronous standby may. So each update has as many switchovers as nodes lead when their turn comes: one at best, which is when the leader is last. After a node, an update waits until it streams again with its new configuration in force. It stops at the first machine where that does not come, and the next one goes on there.

What Patroni and PostgreSQL take up while they run, as parameters, times and passwords, causes no switchover. Nodes may be added and removed; those that stay are not touched. A leader that is removed hands over first.

Patroni logs in to etcd as a user of its own, which may read and write below `+"`<patroni.namespace>/<patroni.scope>/`"+` and nowhere else. It talks to etcd over etcd's gRPC gateway: an EtcdCluster needs `+"`grpcGatewayEnabled: true` and `clientCertAuth: false`.")
	a.Describe(&c.PrimaryEndpoints, "Addresses of the load balancers that lead to the primary, as ip:port. Known when the cluster is healthy, as are all others.")
	a.Describe(&c.ReplicaEndpoints, "Addresses of the load balancers that lead to replicas, as ip:port.")
	a.Describe(&c.CACert, "Certificate of the authority that signed those of PostgreSQL and Patroni's API, PEM.")
	a.Describe(&c.SuperuserPassword, "Password of PostgreSQL's user `postgres`.")
	a.Describe(&c.ReplicatorPassword, "Password of PostgreSQL's user `replicator`.")
	a.Describe(&c.ClientCert, "Certificate, PEM, by which a client may command Patroni's API.")
	a.Describe(&c.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&c.SystemID, "PostgreSQL's identifier of the cluster.")
	a.Describe(&c.MachineIDs, "Ids of the machines, by the name of the node or load balancer.")
}

// Annotate describes e.
func (e *PostgresClusterArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Fluentbit, "Forwards the logs of the machines, by Fluent Bit: needs `forward`, `dynamicConfig` or both. The services that `tags` may name are `patroni`, with what PostgreSQL writes, `patroniSettings`, `haproxy`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Nodes, "The nodes, and the machine that each is on. Changes go through them in this order. With three, one may be unavailable while commits still find a synchronous standby.")
	a.Describe(&e.LoadBalancers, "The load balancers, one at least, and the machine that each is on. With two, clients that know both do without one while it changes.")
	a.Describe(&e.Etcd, "How Pulumi reaches the etcd cluster as root, by a user name and a password: that makes Patroni's user and its role. The machines get the endpoints, the CA certificate and that user.")
	a.Describe(&e.Postgres, "PostgreSQL's own settings.")
	a.Describe(&e.Patroni, "Patroni's settings. Each has the name and meaning that Patroni gives it. Nodes have their own names, so `name` must not be given.")
	a.Describe(&e.Haproxy, "HAProxy's settings. The load balancers have the addresses of the nodes listed, unless they are to find them by `domain`: then with `nameserverIps` and `postgresNodesMaxCount`. In the zone that `dns` keeps, `nodes.<domain>` are the nodes.")
	a.Describe(&e.ContainerRegistry, "Runs HAProxy from an image of this registry instead of the distribution's package.")
	a.Describe(&e.DNS, "Keeps a zone with the names of the machines.")
	a.Describe(&e.CA, "Authority that signs the certificates of PostgreSQL and of Patroni's API and its clients. One is made if it is not given. Keep it apart from etcd's: who has a client certificate of it may command Patroni.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "What the certificates are to be like. Those of the nodes name the load balancers too, since clients check where they connect to.")
	a.Describe(&e.SkipHealthChecks, "Whether to wait for nothing: for a cluster that is lost as a whole, or whose machines cannot be reached from where Pulumi runs (as with macvtap interfaces, from their own host). No more than one node may be rebuilt in one update then.")
	a.SetDefault(&e.SkipHealthChecks, false)
	a.Describe(&e.AllowDataLoss, "Whether a change may delete the data of the only node, and the cluster begin again empty. For a cluster of one node only. Take it out again after that update: while it stands, no update notices data that were lost otherwise, and each warns of that.")
	a.SetDefault(&e.AllowDataLoss, false)
}

// Annotate describes m.
func (m *PostgresClusterMachine) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterMachine")
	a.Describe(&m, "A node or load balancer of the cluster and the machine it is on.")
	a.Describe(&m.Name, "Name of the machine; of one in `nodes` also that of the node in its cluster. A host name of at most 63 of a-z, 0-9 and -.")
	a.Describe(&m.Libvirt, "The virtual machine, on libvirt. Its `uri` says on which hypervisor. In `loadBalancers` it takes no data volume. Either this or `openstack`.")
	a.Describe(&m.OpenStack, "The virtual machine, as an instance of OpenStack. In `loadBalancers` it takes no data volume. Either this or `libvirt`.")
}

// Annotate describes s.
func (s *PostgresClusterSettings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterSettings")
	a.Describe(&s, "PostgreSQL's own settings.")
	a.Describe(&s.Version, "Major version of PostgreSQL, from 14 on, like 17, to take from the PostgreSQL project's own apt repository, and Patroni with it. Without it, both are the distribution's. Another one than before is refused: a major upgrade is not made.")
	a.Describe(&s.Params, "Parameters of PostgreSQL by name: https://www.postgresql.org/docs/current/runtime-config.html. They are all that the cluster has beyond its defaults: a change reaches the running cluster, and a parameter that is taken away goes back to its default. Some take effect when PostgreSQL is restarted, which is left to `patronictl restart --pending`.")
	a.Describe(&s.ReplicatorPassword, "Password of the user `replicator`, as whom nodes replicate. One is made if it is not given. A change reaches the running cluster.")
	a.Describe(&s.SuperuserPassword, "Password of the user `postgres`. One is made if it is not given. A change reaches the running cluster.")
	a.Describe(&s.RewindPassword, "Password of the user `rewind_user`, as whom pg_rewind logs in, with just the rights that it needs. Without it, pg_rewind is a superuser.")
}

// Annotate describes d.
func (d *PostgresClusterDNS) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresClusterDns")
	a.Describe(&d, "A zone in etcd with the names of a cluster's machines: each machine by its name, all nodes as `nodes`, and the load balancers as the domain itself. Clients may connect to these.")
	a.Describe(&d.Etcd, "How Pulumi reaches the etcd cluster that keeps the zone, as a user who may write there.")
	a.Describe(&d.KeyPrefix, "What the domain is appended to, to make the key of the zone: that of the CorednsServers.")
	a.SetDefault(&d.KeyPrefix, zone.DefaultKeyPrefix)
	a.Describe(&d.Domain, "Name of the zone, in small letters and without a final dot, like postgres.example.org.")
	a.Describe(&d.Nameservers, "Names of the servers of the zone, outside of it and with a final dot, like dns-1.example.org.")
}
