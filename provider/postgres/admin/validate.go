package admin

import (
	"crypto/x509"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// mostName is how long a name is at most: PostgreSQL cuts a longer one.
const mostName = 63

// The users that a cluster has of itself: PostgreSQL's superuser, those of Patroni and of the pool.
var ownUsers = []string{superuser, "replicator", "rewind_user", "quorum_pooler"}

// The privileges that there are, by what they are on.
var (
	onDatabases = []string{"CONNECT", "TEMPORARY", "CREATE"}
	onSchemas   = []string{"USAGE", "CREATE"}
	onTables    = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}
	onSequences = []string{"SELECT", "USAGE", "UPDATE"}
)

// Validate returns what is wrong with c at now.
func (c Connection) Validate(now time.Time) check.List {
	var l check.List
	l.Required("endpoints", c.Endpoints)
	for i, endpoint := range c.Endpoints {
		l.Check(check.Index("endpoints", i), check.HostAndPort(endpoint))
	}
	l.Distinct(check.Each("endpoints", len(c.Endpoints), ""), c.Endpoints)
	roots, reason := check.CAs(c.CACert)
	if reason == "" {
		reason = check.InForce(roots[0], now)
	}
	l.Check("caCert", reason)
	l.Check("user", name(c.user()))
	if c.Password != nil {
		l.Check("password", check.OneLine(*c.Password))
	}
	if c.Password == nil && c.ClientCert == nil {
		l.Add("password", "is required, or clientCert").Shape().Needing("clientCert")
	}
	l.Together("", "clientCert", c.ClientCert != nil, "clientKey", c.ClientKey != nil)
	if c.ClientCert != nil && c.ClientKey != nil {
		l.Pair(check.PEM{Path: "clientCert", Text: *c.ClientCert}, check.PEM{Path: "clientKey", Text: *c.ClientKey})
	}
	if chain, reason := check.Certificates(ptr.Value(c.ClientCert)); reason == "" {
		l.Check("clientCert", check.InForce(chain[0], now))
		l.Check("clientCert", check.HasUsages(chain[0], x509.ExtKeyUsageClientAuth))
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a UserArgs) Warnings() []check.Problem {
	var l check.List
	l.Passwords(check.Password{Path: "password", Text: a.Password}, check.Password{Path: "connection.password", Text: a.Connection.Password, Given: true})
	if a.Password != nil && a.Login != nil && !*a.Login {
		l.Add("login", "is false: nobody can log in with the password").Needing("password")
	}
	return l
}

// Validate returns what is wrong with a.
func (a UserArgs) Validate() []check.Problem {
	var l check.List
	l.Under("connection", a.Connection.Validate(time.Now()))
	l.Check("name", ownName(ptr.Value(a.Name), "user"))
	if a.Name != nil && *a.Name == a.Connection.user() && !slices.Contains(ownUsers, *a.Name) {
		l.Add("name", "must not be the user of the connection").Needing("connection.user")
	}
	if a.Password != nil {
		l.Check("password", check.OneLine(*a.Password))
	}
	for i, role := range a.MemberOf {
		l.Check(check.Index("memberOf", i), name(role))
		if role == ptr.Value(a.Name) && role != "" {
			l.Add(check.Index("memberOf", i), "must be another role: nobody is a member of themselves").Needing("name")
		}
	}
	l.Distinct(check.Each("memberOf", len(a.MemberOf), ""), a.MemberOf)
	l.Check("connectionLimit", limit(a.ConnectionLimit))
	return append(l, settings(a.Settings)...)
}

// Validate returns what is wrong with a.
func (a DatabaseArgs) Validate() []check.Problem {
	var l check.List
	l.Under("connection", a.Connection.Validate(time.Now()))
	if slices.Contains([]string{superuser, template0, "template1"}, ptr.Value(a.Name)) {
		l.Add("name", "must not be %s: PostgreSQL has this database of itself", *a.Name)
	} else {
		l.Check("name", name(ptr.Value(a.Name)))
	}
	for _, text := range []struct {
		path  string
		value *string
	}{{"owner", a.Owner}, {"template", a.Template}} {
		if text.value != nil {
			l.Check(text.path, name(*text.value))
		}
	}
	for _, text := range []struct {
		path  string
		value *string
	}{{"encoding", a.Encoding}, {"locale", a.Locale}, {"icuLocale", a.ICULocale}} {
		if text.value != nil && !check.Matches(`[A-Za-z0-9][-A-Za-z0-9_.@]*`, *text.value) {
			l.Add(text.path, "must be the name of one, as in UTF8 or en_US.UTF-8, not %s", check.Quote(*text.value))
		}
	}
	l.Check("connectionLimit", limit(a.ConnectionLimit))
	names := make([]string, len(a.Extensions))
	for i, e := range a.Extensions {
		at := check.Index("extensions", i)
		names[i] = e.Name
		l.Check(check.Join(at, "name"), name(e.Name))
		if e.Schema != nil {
			l.Check(check.Join(at, "schema"), schemaName(*e.Schema))
		}
		if e.Version != nil && !check.Matches(`[A-Za-z0-9][-A-Za-z0-9_.]*`, *e.Version) {
			l.Add(check.Join(at, "version"), "must be a version, as in 1.6, not %s", check.Quote(*e.Version))
		}
	}
	l.Distinct(check.Each("extensions", len(names), "name"), names)
	return l
}

// limit requires a number of connections, or -1 for no limit.
func limit(n *int) string {
	if n == nil {
		return ""
	}
	return check.Range(*n, unlimited, 1<<31-1)
}

// name requires what PostgreSQL keeps as it is.
func name(s string) string {
	if s == "" || len(s) > mostName || strings.ContainsAny(s, "\x00\r\n") {
		return fmt.Sprintf("must be one line of at most %d bytes, and not empty, not %s", mostName, check.Quote(s))
	}
	return ""
}

// ownName requires the name of a user who is not PostgreSQL's own.
func ownName(s, what string) string {
	switch {
	case slices.Contains(ownUsers, s):
		return fmt.Sprintf("must not be %s: the cluster has this %s of itself", s, what)
	case s == "public" || s == "none" || strings.HasPrefix(s, "pg_"):
		return fmt.Sprintf("must not be public or none or begin with pg_, which PostgreSQL keeps for itself, not %s", check.Quote(s))
	}
	return name(s)
}

// schemaName requires a schema that is not PostgreSQL's own.
func schemaName(s string) string {
	if strings.HasPrefix(s, "pg_") || s == "information_schema" {
		return "must not be one of PostgreSQL's own, which begin with pg_, nor information_schema, not " + check.Quote(s)
	}
	return name(s)
}
