package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// index is one to be made anew.
type index struct {
	Name   string
	Beside bool // the old one, while clients write
}

// dropLeftovers drops what a REINDEX that was cut off has left beside indexes.
func (r *reindexing) dropLeftovers(ctx context.Context, conn *pgx.Conn) error {
	left, err := listed(ctx, conn, leftovers)
	if err != nil {
		return err
	}
	for _, name := range left {
		r.say("index " + name + " is dropped, which was not made to its end")
		if err := execute(ctx, conn, "DROP INDEX CONCURRENTLY IF EXISTS "+name); err != nil {
			return err
		}
	}
	return nil
}

// make makes one anew, again where others are in the way.
func (r *reindexing) make(ctx context.Context, conn *pgx.Conn, i index) error {
	for tries := 1; ; tries++ {
		err := i.reindex(ctx, conn)
		switch {
		case err == nil, isCode(err, "42P01", "42704"): // it was dropped meanwhile
			return nil
		case !isCode(err, "40P01", "55P03") || tries == busyTries:
			return fmt.Errorf("index %s: %w", i.Name, withoutValues(err))
		}
		time.Sleep(busy)
		if err := r.dropLeftovers(ctx, conn); err != nil {
			return err
		}
	}
}

func (i index) reindex(ctx context.Context, conn *pgx.Conn) error {
	if i.Beside {
		return execute(ctx, conn, "REINDEX INDEX CONCURRENTLY "+i.Name)
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error { // others wait behind it
		return execute(ctx, tx.Conn(), "SET LOCAL lock_timeout = '"+busy.String()+"'", "REINDEX INDEX "+i.Name)
	})
}

// withoutValues leaves out what has values of rows.
func withoutValues(err error) error {
	answer := (*pgconn.PgError)(nil)
	if !errors.As(err, &answer) {
		return err
	}
	answer.Detail = ""
	if strings.HasPrefix(answer.Code, "22") || strings.HasPrefix(answer.Code, "P0") {
		return fmt.Errorf("its expression fails with SQLSTATE %s", answer.Code)
	}
	return err
}
