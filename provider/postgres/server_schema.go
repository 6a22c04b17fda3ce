package postgres

import (
	"github.com/pulumi/pulumi-go-provider/infer"

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

Give each node of the cluster the same `+"`postgres`, `patroni` and `etcd`"+`. The first that reaches etcd founds the cluster, and the others copy it. Replication is synchronous and strict by default: what was committed is on another node too, and writes wait when there is none.

A change of configuration reaches the running machine through its cloud-init drive. What the nodes share, as timeouts, replication and parameters, then goes to the running cluster through Patroni's API; parameters that PostgreSQL refuses go nowhere. What needs a restart of PostgreSQL waits for `+"`patronictl restart --pending`"+`. What only a fresh machine takes up rebuilds it; preview shows a replacement of its volume then.

Patroni talks to etcd through etcd's gRPC gateway: an EtcdServer needs `+"`grpcGatewayEnabled: true` and `clientCertAuth: false`"+`, and Patroni a user name and password.`)
	a.Describe(&c.Name, "Name of the machine.")
	a.Describe(&c.IP, "Address that the node serves on: the first of its machine.")
	a.Describe(&c.Endpoint, "Address and port of PostgreSQL, as ip:port.")
	a.Describe(&c.APIEndpoint, "Address and port of Patroni's API, as ip:port. It is https, and wants a client certificate.")
	a.Describe(&c.CACert, "Certificate, PEM, of the authority that signed the node's certificates.")
	a.Describe(&c.ServerCert, "Certificate of PostgreSQL and of Patroni's API, PEM.")
	a.Describe(&c.ClientCert, "Certificate that the node presents to Patroni's API, PEM. Load balancers may present it too.")
	a.Describe(&c.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&c.MachineID, "Id of the machine. Another id is another machine.")
	a.Describe(&c.Generation, "Generation of the machine's state: what quorum-apply on the machine reports once it is in force.")
}

// Annotate describes e.
func (e *PostgresServerArgs) Annotate(a infer.Annotator) {
	a.Describe(&e.Name, "Name of the machine, and of its node in the cluster: a host name of at most 63 of a-z, 0-9 and -. Defaults to the name of the resource.")
	a.Describe(&e.Artifacts, "Releases to take from elsewhere than from their publisher. All that this resource takes are packages, so none is known.")
	a.Describe(&e.Fluentbit, "Forwards the logs of the machine, by Fluent Bit: needs `forward`, `dynamicConfig` or both. The services that `tags` may name are `patroni`, with what PostgreSQL writes, `patroniSettings`, `nodeExporter` and `quorumApply`.")
	a.Describe(&e.Postgres, "PostgreSQL's own settings, the same on each node.")
	a.Describe(&e.Patroni, "Patroni's settings, the same on each node but for `name`. Each has the name and meaning that Patroni gives it.")
	a.Describe(&e.Etcd, "The etcd cluster in which nodes find their leader. Its user must be able to read and write below `patroni.namespace`, and logs in with a password: over the gRPC gateway, which Patroni uses, a `clientCert` identifies nobody. An etcd that tells its members only to who has logged in, as from 3.4.42, 3.5.28 and 3.6.9 on, needs Patroni 3.3.9, 4.0.8 or 4.1.1, or later of one of these lines: the machine refuses to start another.")
	a.Describe(&e.TLS, "Ready-made certificates. Either this or `ca`.")
	a.Describe(&e.CA, "Authority that signs a certificate for the node as a server, and one for it as a client. Either this or `tls`. Give each node the same.")
	a.Describe(&e.TrustedCACerts, server.AboutTrust)
	a.Describe(&e.Certificate, "What the server's certificate is to be like that `ca` signs; the client's has its times and organization too. Name the addresses of load balancers here.")
}
