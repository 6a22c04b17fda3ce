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
const stateTable = mark + ".state"

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
		err := together(ctx, target,
			"CREATE SCHEMA IF NOT EXISTS "+mark, "CREATE TABLE "+stateTable+" (source text NOT NULL, stage text NOT NULL)",
			"INSERT INTO "+stateTable+" VALUES ("+admin.Literal(id)+", '"+filled+"')",
			"ALTER ROLE "+admin.Quoted(f.user())+" SET "+readOnlySetting+" = off", "ALTER ROLE ALL SET "+readOnlySetting+" = on")
		if err != nil {
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
	all, err := each[table](ctx, target, tables)
	var own []string
	for _, t := range all {
		own = append(own, t.Name)
	}
	if len(own) > 0 {
		lines = append(lines, "this cluster must be a new one, and has tables of its own in database "+maintenance+": "+strings.Join(own, ", "))
	}
	return lines, err
}
