package admin

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

const root = "root"

// underEtcd are the warnings of a connection, which is an input of that name.
func underEtcd(c host.EtcdConnection) (l check.List) {
	l.Under("etcd", c.Warnings())
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a UserArgs) Warnings() []check.Problem {
	l := underEtcd(a.Etcd)
	l.Passwords(check.Password{Path: "password", Text: a.Password}, check.Password{Path: "etcd.password", Text: a.Etcd.Password, Given: true})
	return l
}

// Validate returns what is wrong with a.
func (a UserArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	if ptr.Value(a.Name) == root {
		l.Add("name", "must not be root: this user has all rights, and is created when authentication is enabled")
	} else {
		l.Check("name", name(ptr.Value(a.Name)))
	}
	if a.Password != nil {
		l.Check("password", check.OneLine(*a.Password))
	}
	for i, role := range a.Roles {
		l.Check(check.Index("roles", i), name(role))
	}
	l.Distinct(check.Each("roles", len(a.Roles), ""), a.Roles)
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a RoleArgs) Warnings() []check.Problem { return underEtcd(a.Etcd) }

// Validate returns what is wrong with a.
func (a RoleArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	if ptr.Value(a.Name) == root {
		l.Add("name", "must not be root: that role is etcd's own, and has all rights whatever else it is granted")
	} else {
		l.Check("name", name(ptr.Value(a.Name)))
	}
	for i, p := range a.Permissions {
		at := check.Index("permissions", i)
		l.Under(at, p.validate())
		for j, other := range a.Permissions[:i] {
			beside := check.Index("permissions", j)
			if reason := p.differsFrom(other, beside); reason != "" {
				l.Add(at, "%s", reason).Needing(beside)
			}
		}
	}
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a KeyArgs) Warnings() []check.Problem { return underEtcd(a.Etcd) }

// Validate returns what is wrong with a.
func (a KeyArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	if a.Key == "" {
		l.Add("key", "must not be empty")
	}
	l.Check("value", Fits(a.Key, a.Value))
	return l
}

const (
	mostRequest = 1536 << 10 // --max-request-bytes of etcd, unless it is set
	namesOfKey  = 3          // how often a key stands in the request that writes it
	framing     = 1 << 10    // all else in that request
)

// Fits requires a key and its value to be no more than etcd takes in a request.
func Fits(key, value string) string {
	if room := mostRequest - framing - namesOfKey*len(key); len(value) > room {
		return fmt.Sprintf("must have at most %d bytes, not %d: etcd accepts requests of at most 1.5 MiB (--max-request-bytes), including the key in them", max(room, 0), len(value))
	}
	return ""
}

func (p Permission) validate() check.List {
	var l check.List
	var given []string
	for _, keys := range []struct {
		name string
		text *string
	}{{"key", p.Key}, {"prefix", p.Prefix}, {"from", p.From}} {
		if keys.text == nil {
			continue
		}
		given = append(given, keys.name)
		if *keys.text == "" {
			l.Add(keys.name, `must not be empty: for all keys, set from: "\0"`)
		}
	}
	switch {
	case len(given) == 0 && p.To == nil:
		l.Add("key", "is required, or prefix or from").Shape().Needing("prefix", "from")
	case len(given) > 1:
		l.Add(given[1], "must not be given together with %s", given[0]).Shape().Needing(given...)
	}
	switch {
	case p.To == nil:
	case p.From == nil:
		l.Add("from", "is required with to").Shape().Needing("to")
	case *p.To <= *p.From:
		l.Add("to", "must come after from, %s, in the order of bytes, not %s", check.Quote(*p.From), check.Quote(*p.To)).Needing("from")
	}
	return l
}

// differsFrom requires that the other permission has other keys or other rights.
func (p Permission) differsFrom(other Permission, beside string) string {
	shared := p.Permission.shared(other.Permission)
	switch {
	case len(p.validate())+len(other.validate()) > 0: // the keys are in doubt
		return ""
	case p.span() == other.span():
		return "must have other keys than " + beside + ": etcd has one permission for each range of keys"
	case shared != "" && p.span().overlaps(other.span()):
		return fmt.Sprintf("must not grant %s on keys on which %s already grants it", shared, beside)
	}
	return ""
}

// name requires a name that etcdctl accepts, too: there a colon ends the name
// of a user.
func name(s string) string {
	if s == "" || strings.ContainsAny(s, ":\r\n") {
		return "must be one line without a colon, and not empty, not " + check.Quote(s)
	}
	return ""
}
