package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

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
	// That of the session with the first database ends with it, while what it has begun here goes on.
	if free, err := value[bool](ctx, here, "SELECT pg_try_advisory_lock($1)", lockKey+1); err != nil || !free {
		return []string{"database " + name + ": another update is at it, or one that was killed has yet to end"}, err
	}
	has, err := hasSchema(ctx, here)
	if r := (Refused{}); errors.As(err, &r) {
		return nil, Refused(about(name, r))
	}
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
	all, err := toPublish(ctx, there, name)
	if err != nil {
		return nil, err
	}
	if len(all.names) > 0 {
		if missing, err = f.follow(ctx, there, here, name, all); err != nil || len(missing) > 0 {
			return missing, err
		}
	}
	return nil, f.finish(ctx, there, here, name)
}

// follow has a database get rows from the source, from the beginning where the source does not know any more what it
// has got.
func (f *Feed) follow(ctx context.Context, there, here *pgx.Conn, database string, all published) (missing []string, err error) {
	if err := publish(ctx, there, all.names); err != nil {
		return nil, err
	}
	others, err := all.others(ctx, here)
	if err != nil {
		return nil, err
	}
	now, err := followingOf(ctx, there, here)
	if err != nil {
		return nil, err
	}
	s := now.subscription
	if why := now.anew(others); s != nil && why != "" {
		f.Say("database " + database + " is copied from the beginning: " + why)
		if err := unsubscribe(ctx, here, true); err != nil {
			return nil, err
		}
		s = nil
	}
	switch info := f.withPassword(database); {
	case s == nil:
		f.Show("database " + database + ": waits at the source until transactions end that run there now")
		if err := f.subscribe(ctx, there, here, database, now.name, all); err != nil {
			return nil, err
		}
	case s.Conninfo != info:
		if err := f.withSecret(ctx, here, database, "ALTER SUBSCRIPTION "+mark+" CONNECTION %L"); err != nil {
			return nil, err
		}
	}
	return f.progress(ctx, here, database, all.names, now.at)
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
(SELECT coalesce(sum(apply_error_count + sync_error_count), 0)::bigint FROM pg_stat_subscription_stats t WHERE t.subid = (SELECT oid FROM pg_subscription WHERE `+ofThis+`))
FROM pg_subscription_rel r WHERE r.srsubid = (SELECT oid FROM pg_subscription WHERE `+ofThis+`)`)
	if err != nil {
		return nil, err
	}
	is, failed := rows[0], ""
	if is.Failed > 0 {
		failed = fmt.Sprintf("; it has failed %d times: `journalctl -u patroni` on the node that leads says why", is.Failed)
	}
	switch {
	case is.Tables != len(all):
		return []string{"database " + database + ": its tables are read anew"}, do(ctx, here, "ALTER SUBSCRIPTION "+mark+" REFRESH PUBLICATION")
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
