package running

import (
	"context"
	"sync"
)

// notes are what is known by names.
type notes[T any] struct {
	lock sync.Mutex
	all  map[string]T
}

// Note has change what this run knows as a T by a name.
func Note[T any](ctx context.Context, name string, change func(*T)) {
	n := Of[notes[T]](ctx)
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.all == nil {
		n.all = map[string]T{}
	}
	now := n.all[name]
	change(&now)
	n.all[name] = now
}

// Noted is what this run knows as a T by a name, and whether it knows anything.
func Noted[T any](ctx context.Context, name string) (T, bool) {
	n := Of[notes[T]](ctx)
	n.lock.Lock()
	defer n.lock.Unlock()
	now, has := n.all[name]
	return now, has
}
