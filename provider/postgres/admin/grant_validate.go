package admin

import (
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with a.
func (a GrantArgs) Validate() []check.Problem {
	var l check.List
	l.Under("connection", a.Connection.Validate(time.Now()))
	if a.Database == template0 {
		l.Add("database", "must not be %s: nobody can connect to it", template0)
	} else {
		l.Check("database", name(a.Database))
	}
	l.Check("schema", schemaName(ptr.Value(a.Schema)))
	l.Check("role", ownName(a.Role, "user"))
	lists := []struct {
		path        string
		given, most []string
	}{
		{"databasePrivileges", a.DatabasePrivileges, onDatabases},
		{"schemaPrivileges", a.SchemaPrivileges, onSchemas},
		{"tablePrivileges", a.TablePrivileges, onTables},
		{"sequencePrivileges", a.SequencePrivileges, onSequences},
	}
	if a.Access != nil {
		l.OneOf("access", *a.Access, ReadOnly, ReadWrite)
	}
	var some bool
	for _, list := range lists {
		if list.given == nil {
			continue
		}
		some = true
		if a.Access != nil {
			l.Add(list.path, "must not be given together with access").Shape().Needing("access")
		}
		l.Required(list.path, list.given)
		for i, privilege := range list.given {
			if !slices.Contains(list.most, privilege) {
				l.Add(check.Index(list.path, i), "must be %s, not %s", check.Or(list.most), check.Quote(privilege))
			}
		}
		l.Distinct(check.Each(list.path, len(list.given), ""), list.given)
	}
	if a.Access == nil && !some {
		l.Add("access", "is required, or databasePrivileges, schemaPrivileges, tablePrivileges or sequencePrivileges").Shape().
			Needing("databasePrivileges", "schemaPrivileges", "tablePrivileges", "sequencePrivileges")
	}
	if a.ObjectOwners != nil {
		l.Required("objectOwners", a.ObjectOwners)
	}
	for i, owner := range a.ObjectOwners {
		l.Check(check.Index("objectOwners", i), name(owner))
	}
	l.Distinct(check.Each("objectOwners", len(a.ObjectOwners), ""), a.ObjectOwners)
	return l
}

// Warnings are of what is allowed, and seldom meant.
func (a GrantArgs) Warnings() []check.Problem {
	var l check.List
	if a.Access == nil && len(a.TablePrivileges)+len(a.SequencePrivileges) > 0 && !slices.Contains(a.SchemaPrivileges, "USAGE") {
		l.Add("schemaPrivileges", "have no USAGE: without it %s has no use of what is in the schema, unless it has that from elsewhere", check.Visible(strings.TrimSpace(a.Role))).
			Needing("access", "tablePrivileges", "sequencePrivileges", "role")
	}
	return l
}
