package patroni

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Pool is one of connections, on the same machine as PostgreSQL.
type Pool struct {
	User   string   // as whom it looks up others: of the system, and of PostgreSQL
	Lookup []string // what lets it do so, on the node that leads
}

// rules let the pool in, over the Unix socket: as itself by who runs it, as others by what they proved
// themselves with to it. That they come from where they may, it sees to: see PoolRules.
func (p *Pool) rules() []string {
	if p == nil {
		return nil
	}
	return []string{
		"local all " + p.User + " peer",
		"local all,replication " + strings.Join(own, ",") + " reject",
		"local all all scram-sha-256",
	}
}

// own are the users that nobody may be over the network.
func (p *Pool) own() []string {
	if p == nil {
		return own
	}
	return append(slices.Clone(own), p.User)
}

// everywhere is each address. PgBouncer knows of "all" since 1.23.
var everywhere = []string{"0.0.0.0/0", "::/0"}

// PoolRules are those of access as PgBouncer reads them. It does not let in the users that nodes log
// in as, and could not log in for who has shown it a certificate. A rule for replication is not for it.
func (c Config) PoolRules() (lines []string) {
	for _, network := range everywhere {
		lines = append(lines, "host all "+strings.Join(c.Pool.own(), ",")+" "+network+" reject")
	}
	for _, a := range c.Postgres.rules() {
		a.Databases = slices.DeleteFunc(slices.Clone(a.Databases), func(name string) bool { return name == replication })
		if a.Databases != nil && len(a.Databases) == 0 {
			continue
		}
		if a.Method != nil && *a.Method == Cert {
			refused := Reject
			a.Method = &refused
		}
		if len(a.Networks) == 0 {
			a.Networks = everywhere
		}
		lines = append(lines, a.lines(a.others())...)
	}
	return lines
}

// pooled requires rules that PgBouncer can read: it would leave out others, those that refuse too.
func (c Config) pooled() check.List {
	var l check.List
	if c.Pool == nil {
		return nil
	}
	for i, a := range c.Postgres.Access {
		path := check.Index("postgres.access", i)
		for j, user := range a.Users {
			if strings.HasPrefix(user, "+") {
				l.Add(check.Join(path, check.Index("users", j)), "must be the name of a user with pooler, not %s: PgBouncer does not know the members of roles", check.Quote(user)).Needing("pooler")
			}
		}
		for j, database := range a.Databases {
			if database == samerole {
				l.Add(check.Join(path, check.Index("databases", j)), "must not be %s with pooler: PgBouncer does not know the members of roles", samerole).Needing("pooler")
			}
		}
	}
	return l
}

// WarnOfPool is of who does not come by the pool.
func (c Config) WarnOfPool() check.List {
	var l check.List
	for i, a := range c.Postgres.Access {
		if c.Pool != nil && a.Method != nil && *a.Method == Cert {
			l.Add(check.Join(check.Index("postgres.access", i), "method"), "is %s: whom this rule is for cannot use the pool, which has no certificate of theirs to log in with", Cert).Needing("pooler")
		}
	}
	return l
}

// Connections are how many PostgreSQL takes of users, 0 if that is not known.
func (p Postgres) Connections() int {
	most := 100 // Patroni's own default, as PostgreSQL's
	for name, value := range p.Params {
		n, err := strconv.Atoi(strings.TrimSpace(value))
		switch key := strings.ToLower(name); {
		case key != maxConnections && key != reserved && key != alsoReserved:
		case err != nil:
			return 0
		case key == maxConnections:
			most += n - 100
		case key == reserved:
			most -= n - 3
		default:
			most -= n
		}
	}
	return max(most-3, 0)
}

const (
	maxConnections = "max_connections"
	reserved       = "superuser_reserved_connections"
	alsoReserved   = "reserved_connections"
	samerole       = "samerole"
	replication    = "replication"
)
