package bluegreen

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
)

// following is how a database of the target gets rows from the source, by a slot that is kept there for it.
type following struct {
	subscription *subscription // nil if there is none
	name         string        // of the slot
	at           slot
	exists       bool // the slot
}

func followingOf(ctx context.Context, there, here *pgx.Conn) (f following, err error) {
	before, err := prefix(ctx, here)
	if err != nil {
		return f, err
	}
	if f.name, err = slotOf(ctx, there, before); err != nil {
		return f, err
	}
	known, err := slots(ctx, there, before)
	if err != nil {
		return f, err
	}
	f.at, f.exists = known[f.name]
	f.subscription, err = subscribed(ctx, here)
	return f, err
}

// anew is why the database has to be copied from the beginning, if it has. others are tables that were made anew at the source.
func (f following) anew(others []string) string {
	switch s := f.subscription; {
	case len(others) > 0:
		return "tables were made anew at the source: " + strings.Join(others, ", ")
	case f.at.Lost:
		return "the source kept no more WAL for the replication slot " + f.name + " (max_slot_wal_keep_size)"
	case !f.exists || s == nil || s.Slot != f.name:
		return "the source has no replication slot " + f.name + " any more, as after a failover there, or where its Patroni drops slots that it does not know"
	}
	return ""
}
