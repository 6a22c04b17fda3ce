package postgres

import (
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/pgbouncer"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

var (
	_ infer.Annotated = (*PostgresServer)(nil)
	_ infer.Annotated = (*PostgresServerArgs)(nil)
)

// Annotate describes c.
func (c *PostgresServer) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresServer")
	a.Describe(&c, `A virtual machine that is a node of a PostgreSQL cluster, run by Patroni.

Give each node of the cluster the same `+"`postgres`, `patroni` and `etcd`"+`. The first node that reaches etcd initialises the cluster, and the others clone it. Replication is synchronous and strict by default: a committed transaction is on another node too, and writes wait while there is no synchronous standby.

A change of configuration reaches the running machine through its cloud-init drive. Settings of the cluster, such as timeouts, replication and parameters, are then written to Patroni's dynamic configuration; parameters that PostgreSQL refuses are not written. Parameters that need a restart of PostgreSQL take effect after `+"`patronictl restart --pending`"+`. A change of its name, users, addresses or image rebuilds the machine; preview then shows a replacement of its volume.

Patroni uses etcd's gRPC gateway: an EtcdServer needs `+"`grpcGatewayEnabled: true` and `clientCertAuth: false`"+`, and Patroni a user name and password.`)
	a.Describe(&c.Name, "Name of the machine.")
	a.Describe(&c.IP, "Address that the node serves on: the first of its machine.")
	a.Describe(&c.Endpoint, "Address and port of PostgreSQL, as ip:port.")
	a.Describe(&c.Pooler, "With `pooler`: address and port of the pool, as ip:port.")
	a.Describe(&c.APIEndpoint, "Address and port of Patroni's API, as ip:port. It is https; orders (PATCH, POST, PUT and DELETE) need a client certificate.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signed the node's certificates.")
	a.Describe(&c.ServerCert, "Certificate of PostgreSQL and of Patroni's API, PEM.")
	a.Describe(&c.ClientCert, "Certificate that the node presents to Patroni's API, PEM.")
	a.Describe(&c.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&c.MachineID, "Id of the machine. It changes when the machine is replaced.")
	a.Describe(&c.Generation, "Identifier of the machine's configuration: quorum-apply on the machine reports it once this configuration is in force.")
}

// Annotate describes e.
func (e *PostgresServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Name, "Name of the machine, and of its node in the cluster: a host name of at most 63 of a-z, 0-9 and -. Defaults to the name of the resource.")
	a.Describe(&e.Artifacts, "Releases to download from another address than their publisher's. This resource installs packages only, so no key is accepted.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machine with Fluent Bit: requires `forward`, `dynamicConfig` or both. The keys of `tags` may be `patroni` (including PostgreSQL's log), `patroniSettings`, `pooler` (with `pooler`), `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Firewall, host.AboutFirewall(append(postgresDoors, poolerDoors...)))
	a.Describe(&e.Postgres, "PostgreSQL's own settings, the same on each node.")
	a.Describe(&e.Patroni, "Patroni's settings, the same on each node except `name`, each with the meaning of Patroni's setting.")
	a.Describe(&e.Etcd, "The etcd cluster of Patroni (`etcd3`). Its user needs read and write permission below `patroni.namespace`, and a password: Patroni uses the gRPC gateway, where etcd does not take the user from a `clientCert`. From 3.4.42, 3.5.28 and 3.6.9 on, etcd lists its members only for users that are logged in, which needs Patroni 3.3.9, 4.0.8 or 4.1.1, or a later release of one of these lines: the machine refuses to start an older one.")
	a.Describe(&e.TLS, "Ready-made certificates. Either this or `ca`.")
	a.Describe(&e.CA, "Authority that signs a server certificate and a client certificate for the node. Either this or `tls`. Use the same for each node.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Backup, backup.AboutBackup+" Give each node the same, with a `stanza` and an `encryptionKey`.")
	a.Describe(&e.Restore, backup.AboutRestore+" Give each node the same.")
	a.Describe(&e.StandbyOf, patroni.AboutStandby+" Give each node the same. The passwords in `postgres` must be those of the source. Taken out here, it is promoted by `patronictl edit-config` only, where `standby_cluster` is to be removed.")
	a.Describe(&e.Pooler, pgbouncer.AboutPooler+" Give each node the same.")
	a.Describe(&e.Joins, "Whether the cluster is there, made by others, and none is ever founded: the node joins it, and leaves Patroni's dynamic configuration and the passwords of roles as they are. Taken out, the cluster takes the settings that are given here.")
	a.Describe(&e.AllowDataLoss, server.AboutDataLoss)
	a.SetDefault(&e.AllowDataLoss, false)
	a.Describe(&e.Certificate, "Names, organization and validity of the server certificate that `ca` signs; the client certificate has the same validity and organization. Add the addresses of load balancers here.")
}
