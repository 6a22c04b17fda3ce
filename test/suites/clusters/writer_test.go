package clusters

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// written is where a writer writes.
type written interface {
	// Put writes number n, which may be there already.
	Put(ctx context.Context, n int) error
	// Count is how many numbers below n are there.
	Count(ctx context.Context, n int) (int, error)
}

// writer writes numbers, one after the other, while a cluster changes.
type writer struct {
	to   written
	end  context.CancelFunc
	done chan struct{}

	acknowledged, failed int
	longest              time.Duration // from one acknowledged write to the next
}

func write(t *testing.T, to written) *writer {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &writer{to: to, end: cancel, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		last := time.Now()
		for n := 0; ctx.Err() == nil; {
			once, cancel := context.WithTimeout(ctx, 5*time.Second)
			err := w.to.Put(once, n)
			cancel()
			if err != nil {
				if ctx.Err() == nil { // else it is told to stop
					w.failed++
					t.Logf("write %d: %v", n, err)
				}
				continue
			}
			n++
			w.acknowledged, w.longest, last = n, max(w.longest, time.Since(last)), time.Now()
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return w
}

// stop ends the writing: all that was acknowledged must be there.
func (w *writer) stop(t *testing.T) {
	t.Helper()
	w.end()
	<-w.done
	require.Positive(t, w.acknowledged)
	there, err := w.to.Count(t.Context(), w.acknowledged)
	require.NoError(t, err)
	assert.Equal(t, w.acknowledged, there, "acknowledged writes are lost")
	t.Logf("%d writes acknowledged, %d failed, at most %s from one to the next", w.acknowledged, w.failed, w.longest.Round(time.Millisecond))
}
