package bluegreen

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// shape is what a database has, by kind and name, as far as servers of two versions say it in the same words.
var shape = `WITH n AS (SELECT n.oid, n.nspname, n.nspowner, n.nspacl FROM pg_namespace n WHERE ` + users + `)
SELECT 'schema ' || quote_ident(n.nspname), '' FROM n
UNION ALL SELECT CASE c.relkind WHEN 'v' THEN 'view ' WHEN 'm' THEN 'materialized view ' WHEN 'S' THEN 'sequence ' WHEN 'c' THEN 'type ' WHEN 'f' THEN 'foreign table ' ELSE 'table ' END
  || quote_ident(n.nspname) || '.' || quote_ident(c.relname),
  concat_ws(' ', c.relkind, c.relpersistence, pg_get_userbyid(c.relowner), c.relrowsecurity, pg_get_expr(c.relpartbound, c.oid),
    (SELECT concat_ws(' ', format_type(q.seqtypid, NULL), q.seqincrement, q.seqmin, q.seqmax, q.seqcycle) FROM pg_sequence q WHERE q.seqrelid = c.oid),
    CASE WHEN c.relkind <> 'S' THEN (SELECT string_agg(concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated, a.attidentity, CASE WHEN a.attgenerated = '' THEN md5(pg_get_expr(d.adbin, d.adrelid)) END), ', ' ORDER BY a.attname)
      FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) END,
    CASE WHEN c.relkind <> 'c' THEN (SELECT string_agg(concat_ws(' ', pg_get_userbyid(a.grantee), a.privilege_type, a.is_grantable), ', ' ORDER BY pg_get_userbyid(a.grantee), a.privilege_type)
      FROM aclexplode(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, c.relowner))) a WHERE a.privilege_type <> 'MAINTAIN') END)
  FROM pg_class c JOIN n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'c', 'f') AND NOT ` + extensionOfClass + `
UNION ALL SELECT 'index ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname),
  concat_ws(' ', i.indrelid::regclass, i.indisunique, i.indisprimary, i.indisexclusion, (SELECT string_agg(a.attname, ', ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = i.indexrelid))
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN n ON n.oid = c.relnamespace WHERE i.indisvalid AND NOT ` + extensionOfIndexed + `
UNION ALL SELECT 'constraint ' || quote_ident(o.conname) || ' of ' || CASE WHEN o.conrelid <> 0 THEN o.conrelid::regclass::text ELSE o.contypid::regtype::text END, concat_ws(' ', o.contype, o.condeferrable, o.condeferred, CASE WHEN o.confrelid <> 0 THEN o.confrelid::regclass::text END,
    (SELECT string_agg(a.attname, ', ' ORDER BY a.attname) FROM pg_attribute a WHERE a.attrelid = o.conrelid AND a.attnum = ANY (o.conkey)))
  FROM pg_constraint o JOIN n ON n.oid = o.connamespace WHERE o.contype NOT IN ('n', 't') AND o.conparentid = 0
UNION ALL SELECT 'trigger ' || quote_ident(t.tgname) || ' of ' || t.tgrelid::regclass, concat_ws(' ', t.tgenabled, t.tgtype, t.tgfoid::regproc)
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN n ON n.oid = c.relnamespace WHERE NOT t.tgisinternal
UNION ALL SELECT CASE f.prokind WHEN 'p' THEN 'procedure ' WHEN 'a' THEN 'aggregate ' ELSE 'function ' END || f.oid::regprocedure, concat_ws(' ', pg_get_userbyid(f.proowner), f.prosecdef, md5(f.prosrc))
  FROM pg_proc f JOIN n ON n.oid = f.pronamespace WHERE NOT ` + extensionOfProc + `
UNION ALL SELECT 'type ' || quote_ident(n.nspname) || '.' || quote_ident(t.typname), concat_ws(' ', t.typtype, CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) END,
    (SELECT string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid))
  FROM pg_type t JOIN n ON n.oid = t.typnamespace WHERE t.typtype IN ('d', 'e', 'r') AND NOT ` + extensionOfType + `
UNION ALL SELECT 'policy ' || quote_ident(p.polname) || ' of ' || p.polrelid::regclass, concat_ws(' ', p.polcmd, p.polpermissive) FROM pg_policy p
UNION ALL SELECT 'extension ' || quote_ident(extname), '' FROM pg_extension`

var (
	extensionOfClass   = ofExtension("pg_class", "c.oid")
	extensionOfIndexed = ofExtension("pg_class", "i.indrelid")
	extensionOfProc    = ofExtension("pg_proc", "f.oid")
	extensionOfType    = ofExtension("pg_type", "t.oid")
)

// thing is one of a database.
type thing struct{ Name, Is string }

// fewNamed is how many differences are named.
const fewNamed = 20

// differ says by name in what a database differs at source and target: what was changed at the source since it was copied.
func differ(ctx context.Context, source, target *pgx.Conn) ([]string, error) {
	there, err := things(ctx, source)
	if err != nil {
		return nil, err
	}
	here, err := things(ctx, target)
	if err != nil {
		return nil, err
	}
	var lines []string
	for name, is := range there {
		switch has, exists := here[name]; {
		case !exists:
			lines = append(lines, name+": only at the source")
		case has != is:
			lines = append(lines, name+": is another one at the source")
		}
	}
	for name := range here {
		if _, exists := there[name]; !exists {
			lines = append(lines, name+": not at the source any more")
		}
	}
	slices.Sort(lines)
	if more := len(lines) - fewNamed; more > 0 {
		lines = append(lines[:fewNamed], fmt.Sprintf("and %d more", more))
	}
	return lines, nil
}

func things(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	all, err := each[thing](ctx, conn, shape)
	by := map[string]string{}
	for _, t := range all {
		by[t.Name] = t.Is
	}
	return by, err
}

// sameSchema refuses a database whose schema was changed at the source since.
func sameSchema(ctx context.Context, source, target *pgx.Conn, database string) error {
	lines, err := differ(ctx, source, target)
	if err != nil || len(lines) == 0 {
		return err
	}
	return Refused{"database " + database + ": its schema was changed since it was copied, which logical replication does not carry: " + strings.Join(lines, "; ") +
		". Make the same change here, as the superuser on the node that leads"}
}
