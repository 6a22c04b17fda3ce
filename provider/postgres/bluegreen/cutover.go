package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

const (
	catchUp      = time.Minute // for the last changes, while writes wait
	catchUpPause = 20 * time.Millisecond
)

// CutOver is the end of the feed: the source refuses writes, and the target takes them.
type CutOver struct {
	Feed
	fenced   admin.Fenced
	sessions map[string]*pgx.Conn // with the target, by database
}

// Begun reports whether the target was ever filled, and whether it takes writes already.
func (p Pair) Begun(ctx context.Context) (begun, open bool, err error) {
	target, done, err := in(ctx, p.Target, maintenance)
	if err != nil {
		return false, false, err
	}
	defer done()
	stage, _, err := stageOf(ctx, target)
	return stage != "", stage == opened, err
}

// Run has the target, which follows, take the source's place. It may have been done before, up to anywhere.
func (c *CutOver) Run(ctx context.Context) error {
	c.sessions = map[string]*pgx.Conn{}
	defer func() {
		for _, conn := range c.sessions {
			_ = conn.Close(ctx)
		}
	}()
	names, id, err := c.prepare(ctx)
	if err != nil {
		return err
	}
	c.Say("the source is asked to refuse writes")
	begun := time.Now()
	if c.fenced, err = c.Source.Fence(ctx, id); err != nil {
		return fmt.Errorf("the source does not refuse writes: %w", err)
	}
	for end := time.Now().Add(catchUp); ; time.Sleep(catchUpPause) {
		if err = c.takeOver(ctx, names); err == nil {
			break
		}
		if errors.As(err, new(Refused)) || !admin.Passes(err) || time.Now().After(end) {
			return err
		}
	}
	c.Say(fmt.Sprintf("cut over: this cluster takes writes, %d ms after the source was asked to refuse them", time.Since(begun).Milliseconds()))
	return nil
}

// prepare does all that can be done while the source takes writes: roles, and sessions with each database.
func (c *CutOver) prepare(ctx context.Context) (names []string, id string, err error) {
	target, err := c.session(ctx, maintenance)
	if err != nil {
		return nil, "", err
	}
	source, done, err := in(ctx, c.Source, maintenance)
	if err != nil {
		return nil, "", err
	}
	defer done()
	if _, id, err = stageOf(ctx, target); err != nil {
		return nil, "", err
	}
	if err := carryRoles(ctx, source, target); err != nil {
		return nil, "", err
	}
	if err := carrySettings(ctx, source, target); err != nil {
		return nil, "", err
	}
	if names, err = databases(ctx, source); err != nil {
		return nil, "", err
	}
	for _, name := range names {
		if _, err := c.session(ctx, name); err != nil {
			return nil, "", err
		}
	}
	return names, id, nil
}

// session is the one with a database of the target, another one if that has ended.
func (c *CutOver) session(ctx context.Context, database string) (*pgx.Conn, error) {
	if conn := c.sessions[database]; conn != nil && !conn.IsClosed() {
		return conn, nil
	}
	conn, err := c.Target.Session(ctx, database)
	if err == nil {
		c.sessions[database] = conn
	}
	return conn, err
}

// takeOver waits for what the source has written last, and opens the target.
func (c *CutOver) takeOver(ctx context.Context, names []string) error {
	at := c.Source
	at.Endpoints = []string{c.fenced.At}
	for _, name := range names {
		here, err := c.session(ctx, name)
		if err != nil {
			return err
		}
		there, done, err := in(ctx, at, name)
		if err != nil {
			return err
		}
		err = c.takeOverDatabase(ctx, there, here)
		done()
		if err != nil {
			return fmt.Errorf("database %s: %w", name, err)
		}
	}
	target, err := c.session(ctx, maintenance)
	if err != nil {
		return err
	}
	tx, err := target.Begin(ctx)
	if err != nil {
		return admin.Said(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	for _, statement := range []string{
		"UPDATE " + stateTable + " SET stage = '" + opened + "'",
		"ALTER ROLE ALL RESET " + readOnly, "ALTER ROLE " + admin.Quoted(c.user()) + " RESET " + readOnly,
	} {
		if _, err := tx.Exec(ctx, statement); err != nil {
			return admin.Said(err)
		}
	}
	if err := tx.Commit(ctx); err != nil {
		return admin.Said(err)
	}
	// Sessions that began before refuse writes still. Those that do not end yet do when their clients find out.
	_, _ = target.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND usename <> ALL ($1)", admin.OwnUsers())
	return nil
}

// takeOverDatabase waits until a database has all that the source has written, and gives it the sequences' numbers.
func (c *CutOver) takeOverDatabase(ctx context.Context, there, here *pgx.Conn) error {
	before, err := prefix(ctx, here)
	if err != nil {
		return err
	}
	slot, err := slotOf(ctx, there, before)
	if err != nil {
		return err
	}
	follows, err := subscribed(ctx, here)
	if err != nil {
		return err
	}
	for end := time.Now().Add(catchUp); follows != nil; time.Sleep(catchUpPause) {
		known, err := slots(ctx, there, before)
		if err != nil {
			return err
		}
		is, exists := known[slot]
		if exists && is.Has >= c.fenced.UpTo {
			break
		}
		if !exists || time.Now().After(end) {
			return refusedf("it does not get what was written last: the replication slot %s of the source is at %d, and the source at %d", slot, is.Has, c.fenced.UpTo)
		}
	}
	return carrySequences(ctx, there, here)
}

type sequence struct {
	Name string
	Last int64
}

func carrySequences(ctx context.Context, there, here *pgx.Conn) error {
	all, err := each[sequence](ctx, there, "SELECT format('%I.%I', s.schemaname, s.sequencename), s.last_value FROM pg_sequences s JOIN pg_namespace n ON n.nspname = s.schemaname WHERE s.last_value IS NOT NULL AND "+users)
	if err != nil {
		return err
	}
	names, numbers := make([]string, len(all)), make([]int64, len(all))
	for i, s := range all {
		names[i], numbers[i] = s.Name, s.Last
	}
	_, err = here.Exec(ctx, "SELECT count(setval(name::regclass, last)) FROM unnest($1::text[], $2::bigint[]) AS s (name, last)", names, numbers)
	return admin.Said(err)
}

// Fenced is the endpoint of the source if it was asked to refuse writes.
func (c *CutOver) Fenced() string {
	if !c.fenced.Asked {
		return ""
	}
	return c.fenced.At
}
