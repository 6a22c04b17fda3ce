package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// Feed fills the target, and keeps it so: step by step, each of which may have been done before.
type Feed struct {
	Pair
	Say  func(string) // what is kept of it in a log
	Show func(string) // what takes long now

	begun bool
	same  map[string]bool // databases whose schema was compared
	Found Found           // at the source
}

// behindAtMost are the bytes of WAL that a target may have yet to get, when it is said to follow.
const behindAtMost = 16 << 20

// The stages that stand in the target: it is filled; and it takes writes, and what is left is to be cleared away.
const (
	filled = "filled"
	opened = "opened"
)

// stateTable has the system id of the source, and the stage.
const stateTable = name + ".state"

// Step does what is due, and says what is missing until the target has all and follows. An error is of what nobody mends
// by waiting.
func (f *Feed) Step(ctx context.Context) (missing string, err error) {
	if missing, err = f.step(ctx); err != nil && !errors.As(err, new(Refused)) && admin.Passes(err) {
		return err.Error(), nil
	}
	return missing, err
}

func (f *Feed) step(ctx context.Context) (missing string, err error) {
	source, done, err := in(ctx, f.Source, maintenance)
	if err != nil {
		return "", fmt.Errorf("the source: %w", err)
	}
	defer done()
	target, done, err := in(ctx, f.Target, maintenance)
	if err != nil {
		return "", fmt.Errorf("this cluster: %w", err)
	}
	defer done()
	if free, err := value[bool](ctx, target, "SELECT pg_try_advisory_lock($1)", lockKey); err != nil || !free {
		return "another update is at it, or one that was killed has yet to end", err
	}
	names, err := databases(ctx, source)
	if err != nil {
		return "", err
	}
	if !f.begun {
		if err := f.begin(ctx, source, target, names); err != nil {
			return "", err
		}
		f.begun, f.same = true, map[string]bool{}
	}
	lines, first := []string{}, len(f.same) == 0
	for _, name := range names {
		more, err := f.database(ctx, source, target, name)
		if err != nil {
			return "", ofDatabase(name, err)
		}
		lines = append(lines, more...)
	}
	if len(lines) > 0 {
		return strings.Join(lines, "\n"), nil
	}
	if !first { // it took its time, in which it may have been changed
		clear(f.same)
		return "schemas are compared once more", nil
	}
	return "", carrySettings(ctx, source, target)
}

func ofDatabase(name string, err error) error {
	if r := (Refused{}); errors.As(err, &r) {
		return r
	}
	return fmt.Errorf("database %s: %w", name, err)
}

// begin looks whether the target can be filled, before anything is created; and has it refuse writes from then on.
func (f *Feed) begin(ctx context.Context, source, target *pgx.Conn, names []string) (err error) {
	stage, of, err := stageOf(ctx, target)
	if err != nil {
		return err
	}
	id, err := value[string](ctx, source, "SELECT system_identifier::text FROM pg_control_system()")
	switch {
	case err != nil:
		return err
	case stage == opened:
		return Refused{"this cluster has taken the place of its source already, and takes writes: take upgradeFrom out of the program"}
	case of != "" && of != id:
		return Refused{fmt.Sprintf("the source is another cluster than before: its system id is %s, and not %s", id, of)}
	}
	if f.Found, err = f.Check(ctx); err != nil {
		return err
	}
	problems, err := f.fits(ctx, source, target, names)
	if err != nil {
		return err
	}
	if stage == "" {
		has, err := occupied(ctx, target)
		if err != nil {
			return err
		}
		problems = append(problems, has...)
	}
	if err := refused(append(f.Found.Problems, problems...)); err != nil {
		return err
	}
	if stage == "" {
		for _, note := range f.Found.Notes {
			f.Say(note)
		}
		tx, err := target.Begin(ctx)
		if err != nil {
			return admin.Said(err)
		}
		defer func() { _ = tx.Rollback(ctx) }()
		for _, statement := range []string{
			"CREATE SCHEMA IF NOT EXISTS " + name, "CREATE TABLE " + stateTable + " (source text NOT NULL, stage text NOT NULL)",
			"INSERT INTO " + stateTable + " VALUES (" + admin.Literal(id) + ", '" + filled + "')",
			"ALTER ROLE " + admin.Quoted(f.user()) + " SET " + readOnly + " = off", "ALTER ROLE ALL SET " + readOnly + " = on",
		} {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return admin.Said(err)
			}
		}
		if err := tx.Commit(ctx); err != nil {
			return admin.Said(err)
		}
	}
	return carryRoles(ctx, source, target)
}

// stageOf is how far a target is, and of which source; "" before it was begun.
func stageOf(ctx context.Context, target *pgx.Conn) (stage, source string, err error) {
	if has, err := value[bool](ctx, target, "SELECT to_regclass('"+stateTable+"') IS NOT NULL"); err != nil || !has {
		return "", "", err
	}
	type state struct{ Stage, Source string }
	all, err := each[state](ctx, target, "SELECT stage, source FROM "+stateTable)
	if err != nil || len(all) == 0 {
		return "", "", err
	}
	return all[0].Stage, all[0].Source, nil
}

// occupied says what a target has that is none of a copy.
func occupied(ctx context.Context, target *pgx.Conn) ([]string, error) {
	names, err := databases(ctx, target)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return name == maintenance }) {
		lines = append(lines, "this cluster must be a new one, and has a database "+name+" of its own")
	}
	all, err := values[string](ctx, target, tables)
	if err == nil && len(all) > 0 {
		lines = append(lines, "this cluster must be a new one, and has tables of its own in database "+maintenance+": "+strings.Join(all, ", "))
	}
	return lines, err
}

// database brings one of the target as far as it comes, and says what is missing.
func (f *Feed) database(ctx context.Context, source, target *pgx.Conn, name string) (missing []string, err error) {
	if err := carryDatabase(ctx, source, target, name); err != nil {
		return nil, err
	}
	there, done, err := in(ctx, f.Source, name)
	if err != nil {
		return nil, err
	}
	defer done()
	here, done, err := in(ctx, f.Target, name)
	if err != nil {
		return nil, err
	}
	defer done()
	has, err := hasSchema(ctx, here)
	if err != nil {
		return nil, err
	}
	if !has {
		f.Show("database " + name + ": its schema is copied")
		if err := f.copySchema(ctx, here, name); err != nil {
			if r := (Refused{}); errors.As(err, &r) {
				return nil, Refused(about(name, r))
			}
			return nil, err
		}
	}
	if !f.same[name] {
		if err := sameSchema(ctx, there, here, name); err != nil {
			return nil, err
		}
		f.same[name] = true
	}
	all, err := values[string](ctx, there, tables)
	if err != nil {
		return nil, err
	}
	if len(all) > 0 {
		if missing, err = f.follow(ctx, there, here, name, all); err != nil || len(missing) > 0 {
			return missing, err
		}
	}
	return nil, f.finish(ctx, there, here, name)
}

// follow has a database get rows from the source, from the beginning where the source does not know any more what it
// has got.
func (f *Feed) follow(ctx context.Context, there, here *pgx.Conn, database string, all []string) (missing []string, err error) {
	if err := publish(ctx, there, all); err != nil {
		return nil, err
	}
	before, err := prefix(ctx, here)
	if err != nil {
		return nil, err
	}
	slot, err := slotOf(ctx, there, before)
	if err != nil {
		return nil, err
	}
	known, err := slots(ctx, there, before)
	if err != nil {
		return nil, err
	}
	s, err := subscribed(ctx, here)
	if err != nil {
		return nil, err
	}
	if is, exists := known[slot]; s != nil && (!exists || is.Lost || s.Slot != slot) {
		why := "the source has no replication slot " + slot + " any more, as after a failover there, or where its Patroni drops slots that it does not know"
		if is.Lost {
			why = "the source kept no more WAL for the replication slot " + slot + " (max_slot_wal_keep_size)"
		}
		f.Say("database " + database + " is copied from the beginning: " + why)
		if err := unsubscribe(ctx, here, true); err != nil {
			return nil, err
		}
		s = nil
	}
	switch info := f.withPassword(database); {
	case s == nil:
		f.Show("database " + database + ": waits at the source until transactions end that run there now")
		if err := f.subscribe(ctx, there, here, database, slot, all); err != nil {
			return nil, err
		}
	case s.Conninfo != info:
		if err := do(ctx, here, "ALTER SUBSCRIPTION "+name+" CONNECTION "+admin.Literal(info)); err != nil {
			return nil, err
		}
	}
	return f.progress(ctx, here, database, all, known[slot])
}

// progress says how far a database is.
func (f *Feed) progress(ctx context.Context, here *pgx.Conn, database string, all []string, at slot) ([]string, error) {
	type copying struct {
		Tables, Ready int
		Bytes         int64
		Failed        int64
	}
	rows, err := each[copying](ctx, here, `SELECT count(*)::int, (count(*) FILTER (WHERE r.srsubstate = 'r'))::int,
(SELECT coalesce(sum(bytes_processed), 0)::bigint FROM pg_stat_progress_copy WHERE datname = current_database()),
(SELECT coalesce(sum(apply_error_count + sync_error_count), 0)::bigint FROM pg_stat_subscription_stats t WHERE t.subname = '`+name+`' AND t.subid = (SELECT oid FROM pg_subscription WHERE subname = '`+name+`' AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())))
FROM pg_subscription_rel r JOIN pg_subscription s ON s.oid = r.srsubid WHERE s.subname = '`+name+`' AND s.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`)
	if err != nil {
		return nil, err
	}
	is, failed := rows[0], ""
	if is.Failed > 0 {
		failed = fmt.Sprintf("; it has failed %d times: `journalctl -u patroni` on the node that leads says why", is.Failed)
	}
	switch {
	case is.Tables != len(all):
		return []string{"database " + database + ": its tables are read anew"}, do(ctx, here, "ALTER SUBSCRIPTION "+name+" REFRESH PUBLICATION")
	case is.Ready < is.Tables:
		return []string{fmt.Sprintf("database %s: %d of %d tables are copied, %s of the others%s", database, is.Ready, is.Tables, size(is.Bytes), failed)}, nil
	case at.Name == "" || !at.Active:
		return []string{"database " + database + ": does not follow the source now" + failed}, nil
	case at.Behind > behindAtMost:
		return []string{fmt.Sprintf("database %s: is %s of WAL behind%s", database, size(at.Behind), failed)}, nil
	}
	return nil, nil
}

// size is a number of bytes for people.
func size(bytes int64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d GiB", bytes>>30)
}

// finish does what follows the copy: statistics, and views that have rows of their own.
func (f *Feed) finish(ctx context.Context, there, here *pgx.Conn, database string) error {
	if done, err := value[bool](ctx, here, "SELECT EXISTS (SELECT FROM "+copied+")"); err != nil || done {
		return err
	}
	f.Show("database " + database + ": statistics are gathered")
	const views = `SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'm' AND ` + users
	wanted, err := values[string](ctx, there, views+" AND c.relispopulated")
	if err != nil {
		return err
	}
	for { // one may be made of another
		empty, err := values[string](ctx, here, views+" AND NOT c.relispopulated")
		if err != nil {
			return err
		}
		empty = slices.DeleteFunc(empty, func(name string) bool { return !slices.Contains(wanted, name) })
		var failed error
		left := len(empty)
		for _, view := range empty {
			if err := do(ctx, here, "REFRESH MATERIALIZED VIEW "+view); err != nil {
				failed = fmt.Errorf("materialized view %s: %w", view, err)
				continue
			}
			left--
		}
		if left == 0 {
			break
		}
		if left == len(empty) {
			return failed
		}
	}
	return do(ctx, here, "ANALYZE", "INSERT INTO "+copied+" VALUES (true)")
}
