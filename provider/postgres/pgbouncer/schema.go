package pgbouncer

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated      = (*Settings)(nil)
	_ infer.Enum[PoolMode] = PoolMode("")
)

// What the inputs of a node and of a cluster have in common.
const (
	AboutPooler = "A pool of connections in front of PostgreSQL: PgBouncer on each node, for applications with more connections than PostgreSQL can take. It passes on passwords (SCRAM), and lets in whom `postgres.access` lets in, but for superusers, users with the attribute REPLICATION, and those who log in by certificate. Clients connect over TLS."
	AboutPort   = "Port of PgBouncer on the nodes, from 1024 to 65535: its `listen_port`. A change restarts PgBouncer, and the pool cannot be reached through a load balancer until that has changed too."
)

// Annotate describes s.
func (s *Settings) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresPooler")
	a.Describe(&s, AboutPooler)
	a.Describe(&s.PoolMode, "When a client's connection to PostgreSQL is free for others: PgBouncer's `pool_mode`.")
	a.SetDefault(&s.PoolMode, defaultMode)
	a.Describe(&s.Port, AboutPort)
	a.SetDefault(&s.Port, DefaultPort)
	a.Describe(&s.MaxClientConnections, "Connections of clients that each node takes, at most 30000: PgBouncer's `max_client_conn`, whose own default is 100.")
	a.SetDefault(&s.MaxClientConnections, defaultClients)
	a.Describe(&s.PoolSize, "Connections to PostgreSQL for each pair of user and database: PgBouncer's `default_pool_size`. Those of all pairs must fit into `max_connections` of `postgres.params`; clients wait for one for up to two minutes.")
	a.SetDefault(&s.PoolSize, defaultSize)
}

// Values lists the modes.
func (PoolMode) Values() []infer.EnumValue[PoolMode] {
	return []infer.EnumValue[PoolMode]{
		{Name: "Transaction", Value: Transaction, Description: "After each transaction. What lasts for a session does not work: SET, LISTEN, advisory locks, temporary tables, WITH HOLD cursors."},
		{Name: "Session", Value: Session, Description: "When the client disconnects. All of PostgreSQL works."},
		{Name: "Statement", Value: Statement, Description: "After each statement. Transactions of more than one are refused."},
	}
}
