package admin

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
)

// id has the parts that tell one grant from another, each without a slash.
func (g GrantState) id() string {
	return strings.Join([]string{url.PathEscape(g.Database), url.PathEscape(g.Schema), url.PathEscape(g.Role)}, "/")
}

// grantOf are the inputs of a grant that is imported by its id.
func grantOf(id string) (a GrantArgs, err error) {
	parts := strings.Split(id, "/")
	for i := range parts {
		if parts[i], err = url.PathUnescape(parts[i]); err != nil {
			break
		}
	}
	if err != nil || len(parts) != 3 || slices.Contains(parts, "") {
		return a, fmt.Errorf("a PostgresGrant is imported by DATABASE/SCHEMA/ROLE, with %%2F for a slash in a name, not by %q", id)
	}
	return GrantArgs{Database: parts[0], Schema: &parts[1], Role: parts[2]}, nil
}

// privileges are what each access stands for.
var privileges = map[GrantAccess]GrantArgs{
	ReadOnly: {
		DatabasePrivileges: []string{"CONNECT"}, SchemaPrivileges: []string{"USAGE"},
		TablePrivileges: []string{"SELECT"}, SequencePrivileges: []string{"SELECT"},
	},
	ReadWrite: {
		DatabasePrivileges: []string{"CONNECT", "TEMPORARY"}, SchemaPrivileges: []string{"USAGE"},
		TablePrivileges: []string{"SELECT", "INSERT", "UPDATE", "DELETE"}, SequencePrivileges: []string{"SELECT", "USAGE", "UPDATE"},
	},
}

// grantsAs reports whether both have the same privileges.
func (g GrantState) grantsAs(other GrantState) bool {
	return object.Alike(g.DatabasePrivileges, other.DatabasePrivileges) && object.Alike(g.SchemaPrivileges, other.SchemaPrivileges) &&
		object.Alike(g.TablePrivileges, other.TablePrivileges) && object.Alike(g.SequencePrivileges, other.SequencePrivileges)
}

// named is the access that has just these privileges, or nil.
func (g GrantState) named() *GrantAccess {
	for access := range privileges {
		if g.grantsAs(GrantArgs{Access: &access}.state()) {
			return &access
		}
	}
	return nil
}
