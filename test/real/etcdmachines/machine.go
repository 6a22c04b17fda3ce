package etcdmachines

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/fleet"
)

const programs = "provider/etcd/config/join"

// machine is one that runs.
type machine struct {
	fleet.Run
	program  string // "" for the etcd in this process
	dir      string
	end      func()
	ended    context.Context
	wait     sync.WaitGroup
	taken    atomic.Value // generation of the state
	config   atomic.Pointer[embed.Config]
	exporter fleet.Exporter
	serving  *sync.Map // where it is put while it serves
}

func start(t testing.TB, s fleet.Spec, program, dir string, serving *sync.Map) *machine {
	m := &machine{Run: s.Run, program: program, dir: dir, serving: serving}
	m.ended, m.end = context.WithCancel(context.Background())
	m.Say(s.State.Generation, "done", "")
	m.wait.Go(func() {
		if err := m.run(s.State); err != nil && m.ended.Err() == nil {
			t.Logf("%s: %v", s.Name, err)
		}
	})
	return m
}

// Current is what the machine runs.
func (m *machine) Current() fleet.Run { return m.Run }

// Taken is the generation of the state that it has, or takes up.
func (m *machine) Taken() string { return m.taken.Load().(string) }

// Stop ends the machine.
func (m *machine) Stop() { m.end(); m.wait.Wait() }

// Say has the exporter tell of a generation of the state.
func (m *machine) Say(generation, outcome, reason string) {
	m.taken.Store(generation)
	m.exporter.Tell(generation, outcome, reason)
}

// Apply takes a change up that needs no restart: etcd reads its certificate
// again for each connection.
func (m *machine) Apply(s fleet.Spec) error {
	generation := s.State.Generation
	bootstraps, err := m.put(s.State)
	config := m.config.Load()
	if err != nil || !bootstraps || config == nil {
		m.Say(generation, "done", "")
		return err
	}
	m.taken.Store(generation) // and told when it is in force
	m.wait.Go(func() {
		for m.authenticate(config) != nil && m.ended.Err() == nil {
			time.Sleep(pause)
		}
		if m.Taken() == generation { // no other change came
			m.exporter.Tell(generation, "done", "")
		}
	})
	return nil
}

// pause is how long systemd waits before it starts etcd again that has ended.
const pause = time.Second

// run is the machine from its boot to its end.
func (m *machine) run(s guest.State) error {
	bootstraps, err := m.put(s)
	if err != nil {
		return err
	}
	export := sync.OnceFunc(func() {
		if m.exporter.Serve(address(s)) == nil {
			m.wait.Go(func() { <-m.ended.Done(); m.exporter.Close() })
		}
	})
	for {
		err := m.serve(s, func(config *embed.Config) error {
			if bootstraps {
				if err := m.authenticate(config); err != nil {
					return err
				}
			}
			export()
			return nil
		})
		if err != nil || m.ended.Err() != nil {
			return err
		}
		select {
		case <-m.ended.Done():
		case <-time.After(pause):
		}
	}
}
