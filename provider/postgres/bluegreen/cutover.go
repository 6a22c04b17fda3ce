package bluegreen

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

	// Remains is whether a node of the source may be left that refuses writes when it comes to lead, although the source takes them.
	Remains bool
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
	bounded, cancel := context.WithTimeout(ctx, catchUp+time.Minute) // one that freezes meanwhile does not answer at all
	defer cancel()
	for end := time.Now().Add(catchUp); ; time.Sleep(catchUpPause) {
		if err = c.takeOver(bounded, names, id); err == nil {
			break
		}
		if errors.As(err, new(Refused)) {
			return c.goesOn(ctx, err)
		}
		if ctx.Err() != nil || !admin.Passes(err) || time.Now().After(end) {
			return err
		}
	}
	c.Say(fmt.Sprintf("cut over: this cluster takes writes, %d ms after the source was asked to refuse them", time.Since(begun).Milliseconds()))
	return nil
}

// goesOn has the source take writes again, where it is seen that nothing can be cut over.
func (c *CutOver) goesOn(ctx context.Context, why error) error {
	reset := false
	for _, endpoint := range c.Source.Endpoints { // who leads now may be another one than was asked
		at := c.Source
		at.Endpoints = []string{endpoint}
		switch was, err := at.Unfence(ctx); {
		case err != nil:
			c.Remains = true
		case was:
			reset = true
		}
	}
	c.Remains = c.Remains || !reset
	if now, err := c.Source.Primary(ctx, ""); err != nil || now.Refuses {
		return why
	}
	c.fenced = admin.Fenced{}
	return fmt.Errorf("%w. The source takes writes again", why)
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
func (c *CutOver) takeOver(ctx context.Context, names []string, id string) error {
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
	those, err := c.stillRefuses(ctx, at, names, id)
	if err != nil {
		return err
	}
	target, err := c.session(ctx, maintenance)
	if err != nil {
		return err
	}
	err = together(ctx, target, append([]string{
		"UPDATE " + stateTable + " SET stage = '" + opened + "'",
		"ALTER ROLE ALL RESET " + readOnlySetting, "ALTER ROLE " + admin.Quoted(c.user()) + " RESET " + readOnlySetting,
	}, those...)...)
	if err != nil {
		return admin.Said(err)
	}
	// Sessions that began before refuse writes still. Those that do not end yet do when their clients find out.
	_, _ = target.Exec(ctx, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND usename <> ALL ($1)", admin.OwnUsers())
	return nil
}

// stillRefuses requires that the server that has given all it had leads still, and refuses writes, and that no database came
// meanwhile. It returns the statements for roles and databases that are read-only at the source.
func (c *CutOver) stillRefuses(ctx context.Context, at admin.Connection, names []string, id string) (statements []string, err error) {
	now, err := at.Primary(ctx, id)
	if err != nil {
		return nil, err
	}
	if !now.Refuses || now.Timeline != c.fenced.Timeline {
		return nil, refusedf("the source has failed over meanwhile, or takes writes again")
	}
	source, done, err := in(ctx, at, maintenance)
	if err != nil {
		return nil, err
	}
	defer done()
	are, err := databases(ctx, source)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(are, names) {
		return nil, refusedf("databases came or went while the source was asked to refuse writes")
	}
	all, err := each[setting](ctx, source, settingsOf, ownRoles)
	for _, s := range all {
		if s.Text == readOnlySetting+"=on" {
			statements = append(statements, s.set())
		}
	}
	return statements, err
}

// Fenced is the endpoint of the source if it was asked to refuse writes.
func (c *CutOver) Fenced() string {
	if !c.fenced.Asked {
		return ""
	}
	return c.fenced.At
}
