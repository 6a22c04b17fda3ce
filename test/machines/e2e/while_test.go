//go:build e2e

package e2e

import (
	"errors"
	"sync"
	"testing"
	"time"
)

// tries are those of one client, again and again.
type tries struct {
	mutex sync.Mutex
	last  time.Time     // at which the last one that worked began
	gap   time.Duration // the longest from the beginning of one that worked to the end of the next
}

func (c *tries) repeat(try func() error, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(200 * time.Millisecond): // each costs a process and a connection
			began := time.Now()
			if try() != nil {
				continue // the next one is as good
			}
			c.mutex.Lock()
			if !c.last.IsZero() {
				c.gap = max(c.gap, time.Since(c.last))
			}
			c.last = began
			c.mutex.Unlock()
		}
	}
}

// workAfter waits for one that began later.
func (c *tries) workAfter(t *testing.T, what string, begin time.Time) {
	t.Helper()
	wait(t, what, func() error {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		if !c.last.After(begin) {
			return errors.New("none works")
		}
		return nil
	})
}

// while has clients try before, during and after what is done, until all of them work again. It gives the longest time
// that each was without.
func while(t *testing.T, clients map[string]func() error, during func()) map[string]time.Duration {
	t.Helper()
	stop, all := make(chan struct{}), map[string]*tries{}
	var running sync.WaitGroup
	defer running.Wait()
	defer close(stop)
	for what, try := range clients {
		c := &tries{}
		all[what] = c
		running.Go(func() { c.repeat(try, stop) })
	}
	// The last round ends a gap of a client that worked just when it was over.
	for _, then := range []func(){during, func() {}, func() {}} {
		now := time.Now()
		for what, c := range all {
			c.workAfter(t, what, now)
		}
		then()
	}
	gaps := map[string]time.Duration{}
	for what, c := range all {
		c.mutex.Lock()
		gaps[what] = c.gap.Round(100 * time.Millisecond)
		c.mutex.Unlock()
	}
	return gaps
}
