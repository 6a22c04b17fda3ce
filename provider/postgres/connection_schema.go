package postgres

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated                = (*GetConnection)(nil)
	_ infer.Annotated                = (*ConnectionArgs)(nil)
	_ infer.Annotated                = (*Connection)(nil)
	_ infer.Enum[TargetSessionAttrs] = TargetSessionAttrs("")
)

// Annotate describes g.
func (g *GetConnection) Annotate(a infer.Annotator) {
	a.SetToken("index", "getPostgresConnection")
	a.Describe(&g, "How an application connects to a database, in the forms that drivers take: a URI, libpq's `conninfo`, and a JDBC URL. All of them require TLS and verify the server's certificate and name (`sslmode=verify-full`). Names and passwords are escaped as each form wants it. What is unknown in a preview stays unknown. With a secret `password` the results are secret.")
}

// Annotate describes c.
func (c *ConnectionArgs) Annotate(a infer.Annotator) {
	a.Describe(&c.Endpoints, "Addresses or names with their ports, tried in this order: `primaryEndpoints`, `replicaEndpoints`, `nodeEndpoints` or those of the pool (`poolerPrimaryEndpoints`, `poolerReplicaEndpoints`) of a PostgresCluster, `endpoint` or `replicaEndpoint` of PostgresLoadBalancers, `endpoint` of PostgresServers. The certificates of the nodes must name them. Drivers that take one host only, such as node-postgres, want one here.")
	a.Describe(&c.Database, "Name of the database.")
	a.Describe(&c.User, "User of PostgreSQL. Without it, the driver's own default.")
	a.Describe(&c.Password, "Password of `user`. Without it, the application has it from elsewhere, such as `PGPASSWORD` or a `.pgpass`.")
	a.Describe(&c.SSLRootCert, "Path of a file that has the cluster's `caCert`, where the application runs: libpq's `sslrootcert`. Without it, the driver's own default: for libpq and JDBC `~/.postgresql/root.crt`.")
	a.Describe(&c.TargetSessionAttrs, "Which of the servers is taken: libpq's `target_session_attrs`. `read-write` to write, with `primaryEndpoints` or `nodeEndpoints`; `prefer-standby` to read, with `nodeEndpoints`. Without it, the first that answers: with `replicaEndpoints` load balancers choose a standby.")
	a.Describe(&c.ConnectTimeout, "Seconds to wait for a server before the next is tried: libpq's `connect_timeout`.")
	a.SetDefault(&c.ConnectTimeout, defaultConnectTimeout)
}

// Annotate describes c.
func (c *Connection) Annotate(a infer.Annotator) {
	a.Describe(&c.URI, "Connection URI, of libpq and many other drivers. More parameters may follow it, each after a `&`.")
	a.Describe(&c.Conninfo, "libpq's keywords and values, like `host=10.0.0.41 port=5432 dbname=app ...`. More may follow it, each after a space.")
	a.Describe(&c.JDBCURL, "URL of PostgreSQL's JDBC driver. More parameters may follow it, each after a `&`.")
}

// Values lists those that libpq has.
func (TargetSessionAttrs) Values() []infer.EnumValue[TargetSessionAttrs] {
	return []infer.EnumValue[TargetSessionAttrs]{
		{Name: "Any", Value: anySession, Description: "The first that answers."},
		{Name: "ReadWrite", Value: readWrite, Description: "One that takes writes."},
		{Name: "ReadOnly", Value: readOnly, Description: "One that takes no writes."},
		{Name: "Primary", Value: primary, Description: "The leader."},
		{Name: "Standby", Value: standby, Description: "A standby."},
		{Name: "PreferStandby", Value: preferStandby, Description: "A standby, or if there is none, the leader."},
	}
}
