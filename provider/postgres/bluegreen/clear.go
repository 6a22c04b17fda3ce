package bluegreen

import (
	"context"
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// Clear removes all that the copy has left, at the target and, as far as it answers, at the source: left is why it does not.
func (p Pair) Clear(ctx context.Context) (left, err error) {
	ctx, cancel := context.WithTimeout(ctx, brief)
	defer cancel()
	if _, err := p.Source.Primary(ctx, ""); admin.IsAway(err) {
		left = err
	}
	return left, p.clear(ctx, left != nil)
}

func (p Pair) clear(ctx context.Context, away bool) error {
	target, done, err := in(ctx, p.Target, maintenance)
	if err != nil {
		return err
	}
	defer done()
	names, err := databases(ctx, target)
	if err != nil {
		return err
	}
	before, err := prefix(ctx, target)
	if err != nil {
		return err
	}
	for _, each := range names {
		err := func() error {
			here, done, err := in(ctx, p.Target, each)
			if err != nil {
				return err
			}
			defer done()
			if err := unsubscribe(ctx, here, away); err != nil {
				return err
			}
			if each == maintenance {
				return do(ctx, here, "DROP TABLE IF EXISTS "+copied, "DROP TABLE IF EXISTS "+read)
			}
			return do(ctx, here, "DROP SCHEMA IF EXISTS "+mark+" CASCADE")
		}()
		if err != nil {
			return fmt.Errorf("database %s: %w", each, err)
		}
	}
	if !away {
		if err := p.clearSource(ctx, before); err != nil {
			return fmt.Errorf("the source: %w", err)
		}
	}
	return do(ctx, target, "DROP SCHEMA IF EXISTS "+mark+" CASCADE")
}

// clearSource removes the publications, and slots that nobody uses any more.
func (p Pair) clearSource(ctx context.Context, before string) error {
	source, done, err := in(ctx, p.Source, maintenance)
	if err != nil {
		return err
	}
	defer done()
	names, err := databases(ctx, source)
	if err != nil {
		return err
	}
	if _, err := source.Exec(ctx, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active AND slot_name LIKE $1 || '%'", before); err != nil {
		return admin.Said(err)
	}
	if others, err := value[bool](ctx, source, "SELECT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name LIKE $1 || '%')", mark+"_"); err != nil || others {
		return err // of another cluster that copies the same
	}
	for _, each := range names {
		there, done, err := in(ctx, p.Source, each)
		if err != nil {
			return err
		}
		err = do(ctx, there, "DROP PUBLICATION IF EXISTS "+mark)
		done()
		if err != nil {
			return err
		}
	}
	return nil
}
