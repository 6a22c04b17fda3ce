package etcd

import "sync"

// Programs knows, while the provider runs, of which clusters a program says
// what they are to be. The engine checks a program's resources before it changes
// any, and checks none when it destroys a stack: so a deletion can tell whether a
// cluster goes as a whole or one of its machines does.
//
// The nil Programs knows of none.
type Programs struct {
	turn sync.Mutex
	lock sync.Mutex
	all  map[string]plan // by the name of the cluster's gate
}

// plan is what a program says of a cluster.
type plan struct {
	gate      *HealthArgs // nil where the update leaves the gate out
	passwords []string    // that root may have besides the gate's

	replaced []string // members whose machines are made anew
	gone     []string // those whose machines went for good
}

// inTurn has deletions be asked one after the other.
func (p *Programs) inTurn() (done func()) {
	if p == nil {
		return func() {}
	}
	p.turn.Lock()
	return p.turn.Unlock
}

// latest is what the program with that gate says, and whether there is one.
func (p *Programs) latest(gate string) (now plan, runs bool) {
	if p == nil {
		return now, false
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	now, runs = p.all[gate]
	return now, runs
}

// note has change what is known of the program with that gate.
func (p *Programs) note(gate string, change func(*plan)) {
	if p == nil {
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.all == nil {
		p.all = map[string]plan{}
	}
	now := p.all[gate]
	change(&now)
	p.all[gate] = now
}
