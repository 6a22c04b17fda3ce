package pgbouncer

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// taken are ports of what else runs on a node.
var taken = map[int]string{
	ports.Postgres: "PostgreSQL", ports.Patroni: "Patroni's API", ports.NodeExporter: "the node exporter", ports.FluentBit: "Fluent Bit",
}

// Validate returns what is wrong with s, in field order. PostgreSQL takes so many connections
// of users; 0 if that is not known.
func (s Settings) Validate(connections int) check.List {
	var l check.List
	l.OneOf("poolMode", *s.PoolMode, Transaction, Session, Statement)
	before := len(l)
	l.Check("port", check.Range(*s.Port, 1024, 65535))
	if by, is := taken[*s.Port]; is && len(l) == before {
		l.Add("port", "must not be %d, which is that of %s", *s.Port, by)
	}
	if n := *s.MaxClientConnections; n > mostClients {
		l.Add("maxClientConnections", "must be at most %d, for which there are file descriptors on nodes and load balancers, not %d", mostClients, n)
	} else {
		l.Check("maxClientConnections", check.Positive(n))
	}
	if n := *s.PoolSize; connections > 0 && n > connections {
		l.Add("poolSize", "must be at most %d, which max_connections leaves to users, not %d", connections, n).Needing("postgres.params")
	} else {
		l.Check("poolSize", check.Positive(n))
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (s Settings) Warnings() check.List {
	var l check.List
	if *s.MaxClientConnections < *s.PoolSize {
		l.Add("maxClientConnections", "is %d, less than poolSize, %d: so many connections to PostgreSQL are never used", *s.MaxClientConnections, *s.PoolSize).Needing("poolSize")
	}
	return l
}
