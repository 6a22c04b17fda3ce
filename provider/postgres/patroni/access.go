package patroni

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// Access lets clients in over the network, or keeps them out: lines of pg_hba.conf.
type Access struct {
	Databases []string      `pulumi:"databases,optional"`
	Users     []string      `pulumi:"users,optional"`
	Networks  []string      `pulumi:"networks,optional"`
	Method    *AccessMethod `pulumi:"method,optional"`
}

// AccessMethod says how a client proves who it is.
type AccessMethod string

// The methods, as pg_hba.conf names them.
const (
	Scram  AccessMethod = "scram-sha-256"
	Cert   AccessMethod = "cert"
	Reject AccessMethod = "reject"
)

const everyone = "all"

// own are the users that nodes log in as. Over the network others may only be postgres, and
// only where a rule of access names it.
var own = []string{superuser, replicator, rewinder}

// pgHBA lets in local connections as postgres, of Patroni's or of an administrator's; nodes
// with their certificate and a password; and others over TLS, as access says. PostgreSQL takes
// the first rule that fits, whether it then lets the client in or not.
func (c Config) pgHBA() []string {
	rules := []string{
		"local all " + superuser + " peer",
		"local replication " + replicator + " scram-sha-256",
		"hostssl replication " + replicator + " all scram-sha-256 clientcert=verify-ca",
	}
	rules = append(rules, c.Pool.rules()...)
	access := c.Postgres.rules()
	for _, a := range access {
		if slices.Contains(a.Users, superuser) {
			rules = append(rules, a.lines([]string{superuser})...)
		}
	}
	rules = append(rules,
		"hostssl all "+superuser+","+rewinder+" all scram-sha-256 clientcert=verify-ca",
		"host all,replication "+strings.Join(c.Pool.own(), ",")+" all reject")
	for _, a := range access {
		rules = append(rules, a.lines(a.others())...)
	}
	return rules
}

// rules are those of access, of which one lets in everybody where none is given.
func (p Postgres) rules() []Access {
	if len(p.Access) == 0 {
		return []Access{{}}
	}
	return p.Access
}

// others are its users but for the superuser.
func (a Access) others() []string {
	if len(a.Users) == 0 {
		return []string{everyone}
	}
	return slices.DeleteFunc(slices.Clone(a.Users), func(user string) bool { return user == superuser })
}

// lines are those for some of the users.
func (a Access) lines(users []string) (lines []string) {
	if len(users) == 0 {
		return nil
	}
	databases, networks, method := a.Databases, a.Networks, Scram
	if len(databases) == 0 {
		databases = []string{everyone}
	}
	if len(networks) == 0 {
		networks = []string{everyone}
	}
	if a.Method != nil {
		method = *a.Method
	}
	for _, network := range networks {
		lines = append(lines, fmt.Sprintf("hostssl %s %s %s %s", words(databases, databaseWords), words(users, []string{everyone}), network, method))
	}
	return lines
}

// databaseWords are those that are not names of databases.
var databaseWords = []string{everyone, "sameuser", "samerole", "replication"}

// words are names as pg_hba.conf has them, all but its own words quoted. A + says that the members of a role are meant.
func words(names, plain []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		if slices.Contains(plain, name) {
			written[i] = name
			continue
		}
		role, members := strings.CutPrefix(name, "+")
		written[i] = `"` + role + `"`
		if members {
			written[i] = "+" + written[i]
		}
	}
	return strings.Join(written, ",")
}

// OpenDoors warns of rules that let the superuser in from everywhere with a password, and of
// those by certificate without an allowlist of Patroni's.
func OpenDoors(access []Access, allowlist []string) check.List {
	var l check.List
	for i, a := range access {
		rule := check.Index("postgres.access", i)
		if a.Method != nil && *a.Method == Cert && len(allowlist) == 0 {
			l.Add(rule, "lets clients in by certificates of the nodes' authority, with which they may also give Patroni orders: set patroni.allowlist").
				Needing("patroni.allowlist")
		}
		if !slices.Contains(a.Users, superuser) {
			continue
		}
		if len(a.Networks) == 0 || len(check.Everywhere(a.Networks)) > 0 {
			l.Add(rule, "lets the superuser in from every address, with a password alone")
		}
	}
	return l
}

func (a Access) validate() check.List {
	var l check.List
	names := func(list string, names []string) {
		if names != nil && len(names) == 0 {
			l.Add(list, "must not be empty: leave it out for all %s", list)
		}
		for i, name := range names {
			if !check.Matches(`\+?[^"+@/\x00-\x1f][^"\x00-\x1f]*`, name) {
				l.Add(check.Index(list, i), "must be a name, and have no quotes, not %s", check.Quote(name))
			}
		}
		l.Distinct(check.Each(list, len(names), ""), names)
	}
	names("databases", a.Databases)
	names("users", a.Users)
	for i, user := range a.Users {
		if user == replicator || user == rewinder {
			l.Add(check.Index("users", i), "must not be %s: nodes log in as that user, with their certificates", user)
		}
	}
	if slices.Contains(a.Users, superuser) && a.Method != nil && *a.Method != Scram {
		l.Add("method", "must be %s in a rule for %s, not %s: nodes in these networks log in as that user, with a password", Scram, superuser, *a.Method)
	}
	if a.Networks != nil && len(a.Networks) == 0 {
		l.Add("networks", "must not be empty: leave it out for every address")
	}
	for i, network := range a.Networks {
		l.Check(check.Index("networks", i), check.Network(network))
	}
	l.Distinct(check.Each("networks", len(a.Networks), ""), a.Networks)
	return l
}
