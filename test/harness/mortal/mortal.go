// Package mortal kills what a test does, earlier or later.
package mortal

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// life is a context that ends when it was asked so many times whether it has: pgx asks before, and while, it sends a statement.
type life struct {
	context.Context
	left  atomic.Int64
	ended chan struct{}
}

func (l *life) Done() <-chan struct{} {
	if l.left.Add(-1) == 0 {
		close(l.ended)
	}
	return l.ended
}

func (l *life) Err() error {
	select {
	case <-l.ended:
		return context.Canceled
	default:
		return nil
	}
}

// UntilDone has one update after the other do the same, until one comes to its end: each of them is killed one question later
// than the one before, and so many percent. It returns how many were killed.
func UntilDone(t testing.TB, percent int64, update func(context.Context) error) (killed int) {
	t.Helper()
	for times := int64(1); ; times += 1 + times*percent/100 {
		l := &life{Context: t.Context(), ended: make(chan struct{})}
		l.left.Store(times)
		err := update(l)
		if l.Err() == nil {
			require.NoError(t, err)
			return killed
		}
		killed++
	}
}
