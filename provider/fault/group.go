package fault

import "sync"

// Group is a sync.WaitGroup for calls that may panic: Wait does then, so that
// it happens where it is recovered.
type Group struct {
	group sync.WaitGroup
	once  sync.Once
	first error
}

// Go calls f in a goroutine of its own.
func (g *Group) Go(f func()) {
	g.group.Go(func() {
		if err := Do(func() error { f(); return nil }); err != nil {
			g.once.Do(func() { g.first = err })
		}
	})
}

// Wait waits until all calls have ended.
func (g *Group) Wait() {
	g.group.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
