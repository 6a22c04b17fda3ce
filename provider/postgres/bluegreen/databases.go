package bluegreen

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// database is one as its statement has it: a row of pg_database of any version.
type database struct {
	Encoding  int    `json:"encoding"`
	Collate   string `json:"datcollate"`
	Ctype     string `json:"datctype"`
	Provider  string `json:"datlocprovider"`
	ICULocale string `json:"daticulocale"` // before PostgreSQL 17
	Locale    string `json:"datlocale"`
	Rules     string `json:"daticurules"`
	Limit     int    `json:"datconnlimit"`
}

// create are the statements' options.
func (d database) create() string {
	options := fmt.Sprintf(" TEMPLATE template0 ENCODING %d LC_COLLATE %s LC_CTYPE %s", d.Encoding, admin.Literal(d.Collate), admin.Literal(d.Ctype))
	switch locale := admin.Literal(d.Locale + d.ICULocale); d.Provider {
	case "i":
		options += " LOCALE_PROVIDER icu ICU_LOCALE " + locale
		if d.Rules != "" {
			options += " ICU_RULES " + admin.Literal(d.Rules)
		}
	case "b":
		options += " LOCALE_PROVIDER builtin BUILTIN_LOCALE " + locale
	}
	return options
}

// grant is a privilege on a database.
type grant struct{ To, Privilege, Option string }

const grantsOn = `SELECT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname) END, a.privilege_type, CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a LEFT JOIN pg_roles r ON r.oid = a.grantee WHERE d.datname = $1 ORDER BY 1, 2`

// carryDatabase makes a database of the target what it is at the source, all but what is in it.
func carryDatabase(ctx context.Context, source, target *pgx.Conn, name string) error {
	quoted := admin.Quoted(name)
	row, err := value[string](ctx, source, "SELECT to_jsonb(d)::text FROM pg_database d WHERE datname = $1", name)
	if err != nil {
		return err
	}
	var d database
	if err := json.Unmarshal([]byte(row), &d); err != nil {
		return fmt.Errorf("read a row of pg_database: %w", err)
	}
	exists, err := value[bool](ctx, target, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name)
	if err != nil {
		return err
	}
	if !exists {
		if err := do(ctx, target, "CREATE DATABASE "+quoted+d.create()); err != nil {
			return err
		}
	}
	const owner = "SELECT pg_get_userbyid(datdba)::text FROM pg_database WHERE datname = $1"
	owned, err := value[string](ctx, source, owner, name)
	if err != nil {
		return err
	}
	if is, err := value[string](ctx, target, owner, name); err != nil || is != owned {
		if err == nil {
			err = do(ctx, target, "ALTER DATABASE "+quoted+" OWNER TO "+admin.Quoted(owned))
		}
		if err != nil {
			return err
		}
	}
	if d.Limit >= -1 { // less is of one that is being dropped
		if err := do(ctx, target, fmt.Sprintf("ALTER DATABASE %s CONNECTION LIMIT %d", quoted, d.Limit)); err != nil {
			return err
		}
	}
	return carryGrants(ctx, source, target, name)
}

func carryGrants(ctx context.Context, source, target *pgx.Conn, name string) error {
	wanted, err := each[grant](ctx, source, grantsOn, name)
	if err != nil {
		return err
	}
	are, err := each[grant](ctx, target, grantsOn, name)
	if err != nil {
		return err
	}
	for _, g := range are {
		if !slices.Contains(wanted, g) {
			if err := do(ctx, target, fmt.Sprintf("REVOKE %s ON DATABASE %s FROM %s", g.Privilege, admin.Quoted(name), g.To)); err != nil {
				return err
			}
		}
	}
	for _, g := range wanted {
		if !slices.Contains(are, g) {
			if err := do(ctx, target, fmt.Sprintf("GRANT %s ON DATABASE %s TO %s%s", g.Privilege, admin.Quoted(name), g.To, g.Option)); err != nil {
				return err
			}
		}
	}
	return nil
}
