package admin

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// unhindered has a session wait as long as it takes, whatever the database says, and end if who began it is gone.
	unhindered = "SET idle_session_timeout = 0; SET default_transaction_read_only = off; SET client_connection_check_interval = '10s'"

	// former are sessions of an update that was killed.
	former = `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = '` + applicationName + `' AND query LIKE 'REINDEX INDEX %'`

	// leftovers are of a REINDEX CONCURRENTLY that was cut off. https://www.postgresql.org/docs/current/sql-reindex.html
	leftovers = `SELECT i.indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE NOT i.indisvalid AND c.relname ~ '_cc(new|old)[0-9]*$'`

	// sorting are the indexes that may depend on how text is sorted, and whether one can be made anew beside the old one: all
	// but those of types that are known not to, and of text by collation C or POSIX (950 and 951).
	sorting = `SELECT i.indexrelid::regclass::text, NOT i.indisexclusion
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'i' AND i.indisvalid AND c.relpersistence <> 't' AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
		AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL
			OR EXISTS (SELECT FROM unnest(i.indcollation) AS k(by) WHERE k.by NOT IN (0, 950, 951))
			OR EXISTS (SELECT FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
				WHERE a.attrelid = i.indexrelid AND a.attnum <= i.indnkeyatts AND t.typtype <> 'e'
				AND coalesce(nullif(t.typbasetype, 0), t.oid) <> ALL ('{bool,int2,int4,int8,float4,float8,numeric,money,date,time,timetz,timestamp,timestamptz,interval,
					uuid,bytea,oid,name,"\"char\"",inet,cidr,macaddr,macaddr8,bit,varbit,xid,xid8,tid,pg_lsn,point,box,polygon,circle,line,lseg,
					int4range,int8range,numrange,daterange,tsrange,tstzrange,text,varchar,bpchar}'::regtype[])))
		ORDER BY pg_relation_size(i.indexrelid), 1`

	// unmended are what stays as it was, and may depend on it too.
	unmended = `SELECT CASE c.relkind WHEN 'p' THEN 'the partitions of ' ELSE 'the materialized view ' END || c.oid::regclass
		FROM pg_class c LEFT JOIN pg_partitioned_table p ON p.partrelid = c.oid
		WHERE c.relkind = 'm' OR p.partstrat = 'r' AND EXISTS (SELECT FROM unnest(p.partcollation) AS k(by) WHERE k.by NOT IN (0, 950, 951)) ORDER BY 1`

	// otherwise are the collations whose version is another, used or not.
	otherwise = `SELECT oid::regcollation::text FROM pg_collation WHERE collversion <> pg_collation_actual_version(oid) ORDER BY 1`

	busy        = 5 * time.Second // that the table of an index may be locked by others, when it is to be locked
	busyTries   = 60
	reindexLost = 5 // connections
)

// Reindex makes anew, on the server that takes writes, all indexes of a database that may depend on how text is sorted, while
// clients write, and then notes that they are of what sorts now. Cut off with its update, it begins again. say is told where
// it is, and what it leaves as it is.
func (c Connection) Reindex(ctx context.Context, database string, say func(string)) error {
	r := reindexing{done: map[string]bool{}, say: func(text string) { say("database " + database + ": " + text) }}
	for lost := 0; ; lost++ {
		err := c.reindex(ctx, database, &r)
		if err == nil || lost == reindexLost || !passes(err) || ctx.Err() != nil {
			return err
		}
		time.Sleep(busy)
	}
}

// reindexing is how far it is.
type reindexing struct {
	done map[string]bool
	say  func(string)
}

func (c Connection) reindex(ctx context.Context, database string, r *reindexing) error {
	conn, at, err := connect(ctx, c, database, pgconn.ValidateConnectTargetSessionAttrsPrimary)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err = conn.Exec(ctx, unhindered); err == nil {
		err = r.run(ctx, conn, database)
	}
	if err != nil && conn.IsClosed() {
		return &connectError{reasons: []string{at + ": " + reason(err)}}
	}
	return said(err)
}

func (r *reindexing) run(ctx context.Context, conn *pgx.Conn, database string) error {
	err := until(time.Minute, "what a former update has begun does not end", func() (bool, error) {
		var left int
		err := conn.QueryRow(ctx, former).Scan(&left)
		return left == 0, err
	})
	if err != nil {
		return err
	}
	if err := r.dropLeftovers(ctx, conn); err != nil {
		return err
	}
	rows, err := conn.Query(ctx, sorting)
	if err != nil {
		return err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[index])
	if err != nil {
		return err
	}
	for i, each := range all {
		if r.done[each.Name] {
			continue
		}
		r.say(fmt.Sprintf("index %s is made anew, %d of %d", each.Name, i+1, len(all)))
		if err := r.make(ctx, conn, each); err != nil {
			return err
		}
		r.done[each.Name] = true
	}
	stay, err := listed(ctx, conn, unmended)
	if err != nil {
		return err
	}
	if len(stay) > 0 {
		r.say("left as they are, and sorted as before where they depend on it: " + strings.Join(stay, ", ") + ", and CHECK constraints")
	}
	return remember(ctx, conn, database)
}

// remember has PostgreSQL know by which versions indexes are made now.
func remember(ctx context.Context, conn *pgx.Conn, database string) error {
	all, err := listed(ctx, conn, otherwise)
	if err != nil {
		return err
	}
	statements := []string{}
	for _, name := range all {
		statements = append(statements, "ALTER COLLATION "+name+" REFRESH VERSION")
	}
	if records, err := recordsOwn(ctx, conn); err != nil {
		return err
	} else if records {
		statements = append(statements, "ALTER DATABASE "+quoted(database)+" REFRESH COLLATION VERSION")
	}
	return execute(ctx, conn, statements...)
}

func listed(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// execute executes statements, one after the other.
func execute(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
