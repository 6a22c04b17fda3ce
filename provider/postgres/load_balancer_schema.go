package postgres

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/keepalived"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*PostgresLoadBalancer)(nil)
	_ infer.Annotated = (*PostgresLoadBalancerArgs)(nil)
)

// Annotate describes c.
func (c *PostgresLoadBalancer) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresLoadBalancer")
	a.Describe(&c, `A virtual machine with HAProxy in front of the nodes of a PostgreSQL cluster under Patroni.

Port 5432 connects to the primary, port 5433 to the replicas, ports 6432 and 6433, with `+"`poolerPort`"+`, to their pools, and port 4443 to Patroni's REST API on the primary. TLS is passed through: clients see the nodes' own certificates, which must name the load balancer. HAProxy's health checks ask Patroni's REST API for the role of each node, over TLS: HAProxy verifies Patroni's certificate, and has none of its own: it can give Patroni no orders. When the role of a node changes, its connections are closed.

A change of configuration reaches the running machine through its cloud-init drive, where the program quorum-apply has HAProxy check it (`+"`haproxy -c`"+`), reloads HAProxy, and puts back what was there if that does not work. Connections from before a reload are kept for at most five minutes (`+"`hard-stop-after`"+`). A change of its name, users, addresses or image rebuilds the machine: preview then shows a replacement of its volume. Processors, memory and disks replace the domain and keep the volume.`)
	a.Describe(&c.Name, "Name of the machine.")
	a.Describe(&c.IP, "First address of the machine.")
	a.Describe(&c.Endpoint, "Address and port of the primary, as ip:port.")
	a.Describe(&c.ReplicaEndpoint, "Address and port of the replicas, as ip:port.")
	a.Describe(&c.PatroniEndpoint, "Address and port of Patroni's API on the primary, as ip:port.")
	a.Describe(&c.MetricsEndpoint, "Address and port of HAProxy's statistics and, at /metrics, its metrics for Prometheus, as ip:port. Served over http.")
	a.Describe(&c.Pooler, "With `poolerPort`: address and port of the pool of the primary, as ip:port.")
	a.Describe(&c.PoolerReplica, "With `poolerPort`: address and port of the pools of the replicas, as ip:port.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signs the certificates of Patroni's API.")
	a.Describe(&c.MachineID, "Id of the machine. It changes when the machine is replaced.")
	a.Describe(&c.Generation, "Identifier of the machine's configuration: quorum-apply on the machine reports it once this configuration is in force.")
}

// Annotate describes b.
func (b *PostgresLoadBalancerArgs) Annotate(a infer.Annotator) {
	a.Describe(&b.Libvirt, "The virtual machine, on libvirt. It has no data volume. Either this or `openstack`.")
	a.Describe(&b.OpenStack, "The virtual machine, as an instance of OpenStack, without a data volume. Either this or `libvirt`.")
	a.Describe(&b.Fluentbit, "Forwards the logs of the machine with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `haproxy`, `keepalived` (with `virtualIp`), `nodeExporter` and `quorumApply`.")
	a.Describe(&b.Firewall, host.AboutFirewall(append(loadBalancerDoors, poolDoors...)))
	a.Describe(&b.Haproxy, "The nodes to balance, either `servers`, or `domain` with `nameserverIps` and `postgresNodesMaxCount`, and HAProxy's own settings.")
	a.Describe(&b.CACert, "Certificate, PEM, of the authority that signs the certificates of Patroni's API: `caCert` of a `PostgresServer`.")
	a.Describe(&b.TrustedCACerts, server.AboutTrust)
	a.Describe(&b.ClientCert, "Client certificate for Patroni's REST API, PEM: where that tells its health to nobody without one (`verify_client: required`). It may then give Patroni orders too. Together with `clientKey`.")
	a.Describe(&b.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&b.PoolerPort, "Port of the pools on the nodes: `pooler.port` of a `PostgresServer`. With it, the load balancer serves port 6432 for the pool of the primary and port 6433 for those of replicas. Patroni and the pool of a node must both answer.")
	a.Describe(&b.VirtualIP, keepalived.AboutVirtualIP)
	a.Describe(&b.ContainerRegistry, "Runs HAProxy from an image of this registry instead of the distribution's package.")
}
