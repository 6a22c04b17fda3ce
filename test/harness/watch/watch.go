// Package watch looks at something beside a test.
package watch

import (
	"testing"
	"time"
)

// Every looks, again after each pause, until the test ends.
func Every(t testing.TB, pause time.Duration, look func()) {
	t.Helper()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			look()
			select {
			case <-done:
				return
			case <-time.After(pause):
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		<-stopped
	})
}
