// Package etcdmachines runs real etcd for the machines of a fake world, so that the
// engine, the provider and etcd work together without a virtual machine.
//
// A machine runs while it exists in the world, with the configuration that it
// was handed. Its data last as long as its data volume, or else its root volume.
package etcdmachines

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// World has machines.
type World interface {
	// Machines are those that exist, or why that cannot be told while something changes.
	Machines() ([]hypervisor.Machine, error)
}

// power is a world that wants to know which machines run.
type power interface {
	Starts(id string) error
	Ends(id string) error
}

// Machines are the machines of a world that run.
type Machines struct {
	t     testing.TB
	world World
	dir   string

	lock     sync.Mutex
	read     reader
	machines map[string]*machine
	sick     []string
	spared   map[string]string // ids of the machines that still run of those that are sick
	refused  map[string]string // why changes are rolled back
	starts   map[string]int
	faults   map[string]*fault
	expired  map[string]string // certificates by those that they were before
	reboots  map[string]int
	restarts []Restart
	serving  sync.Map // *embed.Etcd by name of the machine

	programs, distribution string // of other releases
}

// Run follows the world of the fake plugins until the test ends.
func Run(t testing.TB, w engine.World) *Machines { t.Helper(); return Follow(t, w.Watch()) }

// Follow follows a world until the test ends.
func Follow(t testing.TB, w World) *Machines {
	t.Helper()
	m := &Machines{t: t, world: w, dir: t.TempDir(), read: reader{}, machines: map[string]*machine{}, spared: map[string]string{}, refused: map[string]string{}, starts: map[string]int{}, faults: map[string]*fault{}, expired: map[string]string{}, reboots: map[string]int{}}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			m.follow()
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		close(done)
		<-stopped
		for _, each := range m.machines {
			m.stop(each)
		}
		for _, fault := range m.faults {
			fault.close()
		}
		if t.Failed() {
			m.show()
		}
	})
	return m
}

// Sick keeps a machine from running, or lets it run again.
func (m *Machines) Sick(name string, sick bool) {
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.spared, name)
	m.sick = slices.DeleteFunc(m.sick, func(s string) bool { return s == name })
	if sick {
		m.sick = append(m.sick, name)
	}
}

// SickFromNow keeps a machine from running that is made from now on.
func (m *Machines) SickFromNow(name string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.sick = append(m.sick, name)
	machines, err := m.world.Machines()
	require.NoError(m.t, err)
	for _, each := range machines {
		if each.Name == name {
			m.spared[name] = each.ID
		}
	}
}

// Refuse has a machine roll changes back from now on, for a reason; without
// one it takes them up again.
func (m *Machines) Refuse(name, reason string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.refused[name] = reason
}

// Starts are how often a machine's etcd was started.
func (m *Machines) Starts(name string) int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.starts[name]
}

// Said is what a machine's etcd said.
func (m *Machines) Said(name string) string {
	text, _ := os.ReadFile(filepath.Join(m.dir, name, "log"))
	return string(text)
}

// follow has those machines run that exist.
func (m *Machines) follow() {
	m.lock.Lock()
	defer m.lock.Unlock()
	machines, err := m.world.Machines()
	if err != nil {
		return // a file is being written
	}
	m.run(machines)
}

// run has those machines run, as far as nothing ails them.
func (m *Machines) run(machines []hypervisor.Machine) {
	m.outlive(machines)
	wanted := map[string]spec{}
	for _, each := range machines {
		if m.faults[each.Name] != nil || slices.Contains(m.sick, each.Name) && m.spared[each.Name] != each.ID {
			continue
		}
		state, err := m.read.read(each)
		if restart := state.Restarts()["etcd.service"]; err == nil && each.Volume != "" && restart != "" {
			data := filepath.Join(m.dir, "volumes", each.Volume)
			wanted[each.Name] = spec{incarnation{each.Name, each.ID, data, restart, m.reboots[each.Name]}, m.dated(state), m.program(state)}
		}
	}
	for name, running := range m.machines {
		now := wanted[name]
		switch reason := m.refused[name]; {
		case reason != "" && now.id == running.id:
			if now.state.Generation != running.generation {
				running.say(now.state.Generation, "rolled back", reason)
			}
		case now.incarnation != running.incarnation:
			if now.id == running.id && now.restart != running.restart {
				m.restarts = append(m.restarts, Restart{name, time.Now()})
			}
			m.stop(running)
		default:
			assert.NoError(m.t, running.apply(now.state), name)
		}
	}
	for name, spec := range wanted {
		if m.machines[name] == nil {
			m.tells(power.Starts, spec.id)
			m.machines[name] = start(m.t, spec, filepath.Join(m.dir, name), &m.serving)
			m.starts[name]++
		}
	}
	m.freeze()
}

func (m *Machines) stop(running *machine) {
	running.stop()
	delete(m.machines, running.name)
	m.tells(power.Ends, running.id)
}

func (m *Machines) tells(what func(power, string) error, id string) {
	if w, is := m.world.(power); is {
		assert.NoError(m.t, what(w, id))
	}
}

// show tells what the machines said, for a test that failed.
func (m *Machines) show() {
	logs, _ := filepath.Glob(filepath.Join(m.dir, "*", "log"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		m.t.Logf("%s said:\n%s", filepath.Base(filepath.Dir(log)), text[max(0, len(text)-4000):])
	}
}
