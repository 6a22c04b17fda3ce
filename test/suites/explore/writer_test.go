package explore

import (
	"context"
	"sync"
	"time"
)

// written is where a writer writes.
type written interface {
	// Put writes number n, which may be there already.
	Put(ctx context.Context, n int) error
	// Count is how many numbers below n are there.
	Count(ctx context.Context, n int) (int, error)
	// able tells whether somebody could answer, all faults considered.
	able() bool
	// stale is how long one may answer that has not noticed yet that another leads.
	stale() time.Duration
	// answering is who answers, for the report.
	answering(ctx context.Context) string
}

// writer writes numbers, one after the other, until its sequence ends.
type writer struct {
	to    written
	limit time.Duration // of one attempt
	done  chan struct{}

	lock         sync.Mutex
	acknowledged int
}

func startWriter(r *recorder, to written, limit, pause time.Duration) *writer {
	w := &writer{to: to, limit: limit, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		for n := 0; r.Context().Err() == nil; time.Sleep(pause) {
			once, cancel := context.WithTimeout(r.Context(), limit)
			if to.Put(once, n) == nil {
				n++
				w.lock.Lock()
				w.acknowledged = n
				w.lock.Unlock()
			}
			cancel()
		}
	}()
	r.Cleanup(func() { <-w.done })
	return w
}

// so many are acknowledged.
func (w *writer) so() int {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.acknowledged
}

// answers is how long a cluster that could answer may take, on a machine that is
// busy.
const answers = 2 * time.Minute

// check counts, as long as somebody could answer.
func (w *writer) check(t *trial) {
	n := w.so()
	var err error
	var missing time.Time // since when some are not there, without a break
	for end := time.Now().Add(answers); time.Now().Before(end) && w.to.able(); time.Sleep(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(t.tb.Context(), w.limit)
		var there int
		there, err = w.to.Count(ctx, n)
		cancel()
		switch {
		case err != nil:
			missing = time.Time{}
		case there == n:
			return
		case missing.IsZero():
			missing = time.Now()
		}
		if err == nil && time.Since(missing) >= w.to.stale() {
			t.violate("acknowledged writes are lost", "%d of %d are there, says %s", there, n, w.to.answering(t.tb.Context()))
		}
	}
	if err != nil && w.to.able() {
		t.violate("a cluster that could answer does not", "%v", err)
	}
}
