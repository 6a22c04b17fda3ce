// Package fleet has what a service runs on the machines of a made-up world run while these
// exist, so that the engine, the provider and the service work together without a virtual
// machine.
//
// A machine runs with the configuration that it was handed. Its data last as long as its
// data volume, or else its root volume.
package fleet

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/watch"
)

// Fleet are the machines of a world that run a service.
type Fleet[M Machine] struct {
	T testing.TB
	// Dir has what the machines have on their disks: volumes/VOLUME, and NAME/log.
	Dir string

	sync.Mutex // for all that follows
	Running    map[string]M

	world    World
	service  Service[M]
	read     map[string]reading
	sick     []string
	spared   map[string]string // ids of the machines that still run of those that are sick
	refused  map[string]string // why changes are rolled back
	starts   map[string]int
	runOn    []string
	restarts []Restart
}

// Restart is one that a change of a machine's drive brought about.
type Restart struct {
	Name string
	At   time.Time
}

// Follow has a service run until the test ends.
func (f *Fleet[M]) Follow(t testing.TB, w World, dir string, service Service[M]) {
	t.Helper()
	f.T, f.world, f.Dir, f.service = t, w, dir, service
	f.Running, f.read = map[string]M{}, map[string]reading{}
	f.spared, f.refused, f.starts = map[string]string{}, map[string]string{}, map[string]int{}
	t.Cleanup(func() {
		for _, each := range f.Running {
			f.Stop(each)
		}
		if t.Failed() {
			f.show()
		}
	})
	watch.Every(t, 100*time.Millisecond, f.follow)
}

// follow has those machines run that exist.
func (f *Fleet[M]) follow() {
	f.Lock()
	defer f.Unlock()
	if machines, err := f.world.Machines(); err == nil { // else a file is being written
		f.Look(machines)
	}
}

// Look has those of all machines run that are to run.
func (f *Fleet[M]) Look(all []hypervisor.Machine) {
	for i, each := range all {
		if running, runs := f.Running[each.Name]; runs && slices.Contains(f.runOn, each.Name) && running.Current().ID == each.ID {
			all[i].Volume = filepath.Base(running.Current().Data)
		}
	}
	f.service.Before(all)
	wanted := map[string]Spec{}
	for _, each := range all {
		if slices.Contains(f.sick, each.Name) && f.spared[each.Name] != each.ID {
			continue
		}
		if state, err := f.state(each); err == nil && each.Volume != "" {
			if spec, is := f.service.Wanted(each, state); is {
				wanted[each.Name] = spec
			}
		}
	}
	for _, running := range slices.Collect(maps.Values(f.Running)) {
		f.change(running, wanted[running.Current().Name])
	}
	for name, spec := range wanted {
		if _, runs := f.Running[name]; !runs {
			f.tell(witness.Starts, spec.ID)
			f.Running[name] = f.service.Start(spec)
			f.starts[name]++
		}
	}
	f.service.After()
}

// RunOn has machines run on whose volumes are deleted, with their data in the deleted files, until they are made anew.
func (f *Fleet[M]) RunOn(names ...string) {
	f.Lock()
	defer f.Unlock()
	f.runOn = names
}

// change has a machine take a change up, or stop.
func (f *Fleet[M]) change(running M, now Spec) {
	current := running.Current()
	switch reason := f.refused[current.Name]; {
	case reason != "" && now.ID == current.ID:
		if now.State.Generation != running.Taken() {
			running.Say(now.State.Generation, "rolled back", reason)
		}
	case now.Run != current:
		if now.ID == current.ID && now.Restart != current.Restart {
			f.restarts = append(f.restarts, Restart{current.Name, time.Now()})
		}
		f.Stop(running)
	case now.State.Generation != running.Taken():
		assert.NoError(f.T, running.Apply(now), current.Name)
	}
}

// Stop ends a machine that runs. It is started again if it is to run still.
func (f *Fleet[M]) Stop(running M) {
	running.Stop()
	delete(f.Running, running.Current().Name)
	f.tell(witness.Ends, running.Current().ID)
}

func (f *Fleet[M]) tell(what func(witness, string) error, id string) {
	if w, is := f.world.(witness); is {
		assert.NoError(f.T, what(w, id))
	}
}

// Named are the machines of a name that exist.
func (f *Fleet[M]) Named(name string) (all, named []hypervisor.Machine) {
	all, err := f.world.Machines()
	require.NoError(f.T, err)
	for _, each := range all {
		if each.Name == name {
			named = append(named, each)
		}
	}
	return all, named
}

// log is where what a machine says is kept.
func (f *Fleet[M]) log(name string) string { return filepath.Join(f.Dir, name, "log") }

// Said is what a machine has said so far.
func (f *Fleet[M]) Said(name string) string {
	text, _ := os.ReadFile(f.log(name))
	return string(text)
}

// show tells what the machines said, for a test that failed.
func (f *Fleet[M]) show() {
	logs, _ := filepath.Glob(f.log("*"))
	for _, log := range logs {
		text, _ := os.ReadFile(log)
		f.T.Logf("%s said:\n%s", filepath.Base(filepath.Dir(log)), text[max(0, len(text)-4000):])
	}
}
