package explore

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/watch"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// truth is what a cluster was at each moment, by what its members know
// themselves and by the faults that stand.
type truth struct {
	machines *etcdmachines.Machines
	address  func(name string) string

	lock    sync.Mutex
	samples []sample
	ids     map[uint64]bool // of clusters
}

// sample is one moment, by addresses.
type sample struct {
	at      time.Time
	voters  []string
	runs    []string // of those, also without a quorum
	healthy []string // of those
}

// watchEtcd looks until the sequence ends.
func watchEtcd(r *recorder, machines *etcdmachines.Machines, address func(name string) string) *truth {
	t := &truth{machines: machines, address: address, ids: map[uint64]bool{}}
	watch.Every(r, 50*time.Millisecond, func() { t.look() })
	return t
}

func (t *truth) look() {
	statuses := t.machines.Statuses()
	t.lock.Lock()
	defer t.lock.Unlock()
	now := sample{at: time.Now()}
	if len(t.samples) > 0 {
		now.voters = t.samples[len(t.samples)-1].voters
	}
	for _, s := range statuses {
		t.ids[s.ClusterID] = true
		if s.Leader == s.ID && s.Leader != 0 {
			now.voters = slices.Sorted(slices.Values(s.Voters))
		}
	}
	for name, s := range statuses {
		if address := t.address(name); s.Votes && !s.Expired && slices.Contains(now.voters, address) {
			if now.runs = append(now.runs, address); s.Leader != 0 {
				now.healthy = append(now.healthy, address)
			}
		}
	}
	t.samples = append(t.samples, now)
}

// now is the last sample.
func (t *truth) now() sample {
	t.look()
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.samples[len(t.samples)-1]
}

// see notes the id of a cluster.
func (t *truth) see(id uint64) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.ids[id] = true
}

func (t *truth) clusters() []uint64 {
	t.lock.Lock()
	defer t.lock.Unlock()
	return slices.Sorted(maps.Keys(t.ids))
}

// settles is how long before a machine was touched the check may have been that
// allowed it.
const settles = 5 * time.Second

// allows tells whether a machine could be touched at a moment: whether at some
// time shortly before, and not before the update began, the others were enough.
func (t *truth) allows(began, at time.Time, enough func(sample) bool) (bool, sample) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return allows(t.samples, began, at, enough)
}

func (s sample) when() time.Time { return s.at }

func allows[S interface{ when() time.Time }](samples []S, began, at time.Time, enough func(S) bool) (bool, S) {
	from := at.Add(-settles)
	if began.After(from) {
		from = began
	}
	var last S
	for _, s := range samples {
		if s.when().After(at) && last.when().After(from) {
			break
		}
		if last = s; s.when().After(from) && enough(s) {
			return true, s
		}
	}
	return false, last
}

func quorum(n int) int { return n/2 + 1 }
