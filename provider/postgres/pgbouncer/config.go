// Package pgbouncer configures a node of a PostgreSQL cluster to have a pool of
// connections in front of its PostgreSQL.
//
// A Config says who may come, and how many; State gives the packages, files and
// services that make a machine so. Nothing here talks to Pulumi or to a network.
package pgbouncer

import "github.com/pulumi-quorum/pulumi-quorum/provider/ports"

// Config describes the PgBouncer of one node.
type Config struct {
	IP         string // that it serves on
	Pooler     Settings
	Rules      []string // of who may connect: lines of its auth_hba_file
	ServerCert string
	ServerKey  string
}

// Settings are those of the pool, the same on each node.
type Settings struct {
	PoolMode             *PoolMode `pulumi:"poolMode,optional"`
	Port                 *int      `pulumi:"port,optional"`
	MaxClientConnections *int      `pulumi:"maxClientConnections,optional"`
	PoolSize             *int      `pulumi:"poolSize,optional"`
}

// PoolMode says when a client gives its connection to PostgreSQL back.
type PoolMode string

// The modes, as PgBouncer names them.
const (
	Transaction PoolMode = "transaction"
	Session     PoolMode = "session"
	Statement   PoolMode = "statement"
)

// PgBouncer's own defaults, but for the clients: it would take 100, as many as PostgreSQL itself.
const (
	DefaultPort    = ports.Pooler
	defaultMode    = Transaction
	defaultClients = 1000
	defaultSize    = 20

	// mostClients leave file descriptors, of which PgBouncer may have 65536, for its connections
	// to PostgreSQL. A load balancer takes two for each client, and has as many.
	mostClients = 30_000
)

// User is as whom PgBouncer runs, and as whom it looks up users in PostgreSQL. It is not
// postgres, whose files and rights are not its business.
const User = "quorum_pooler"

// Lookup is the command that lets it do so, on the node that leads.
func Lookup() []string { return []string{program, "lookup"} }
