// Package postgresmachines has a fleet whose machines run real Patroni, with PostgreSQL, or
// HAProxy. The end of one is that of a machine whose power goes.
package postgresmachines

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/fleet"
)

// Machines are the machines of a world that run PostgreSQL or HAProxy.
type Machines struct {
	fleet.Fleet[*machine]

	off   map[string]string // ids of the machines that are off
	takes bool
}

// TakeSettings has the running cluster take its settings from machines that start from now on, as
// patroni-settings.service has it. Without it Patroni just reads its files again.
func (p *Machines) TakeSettings() { p.takes = true }

// Run follows the hypervisor of a stack, as Follow does.
func Run(t testing.TB, w engine.World) *Machines { t.Helper(); return Follow(t, w.Watch()) }

// Follow follows a world until the test ends, or skips the test where Patroni,
// PostgreSQL or HAProxy is not installed.
func Follow(t testing.TB, w fleet.World) *Machines {
	t.Helper()
	programs, _ := filepath.Glob(postgresPrograms)
	for _, program := range []string{patroni, haproxy} {
		if _, err := exec.LookPath(program); err != nil || len(programs) == 0 {
			t.Skip("Patroni, PostgreSQL or HAProxy is not installed: tools/setup test installs them")
		}
	}
	dir, err := os.MkdirTemp("", "databases") // in one of t's only its own user may go
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &Machines{off: map[string]string{}}
	p.Follow(t, w, dir, p)
	return p
}

// Wanted is a machine whose state has Patroni or HAProxy, and which is not off.
func (p *Machines) Wanted(each hypervisor.Machine, state guest.State) (s fleet.Spec, is bool) {
	restarts := state.Restarts()
	restart := restarts[patroni+".service"] + restarts[haproxy+".service"]
	run := fleet.Run{Name: each.Name, ID: each.ID, Data: filepath.Join(p.Dir, "volumes", each.Volume), Restart: restart}
	return fleet.Spec{Run: run, State: state}, restart != "" && p.off[each.Name] != each.ID
}

// Before has nothing to do: what ails a machine of these is its process's own.
func (p *Machines) Before([]hypervisor.Machine) {}

// After has nothing to do either.
func (p *Machines) After() {}

// Start boots a machine.
func (p *Machines) Start(s fleet.Spec) *machine {
	m := &machine{Run: s.Run, takes: p.takes, t: p.T, dir: filepath.Join(p.Dir, s.Name)}
	if m.taken = s.State.Generation; !m.takes || !hasPatroni(s.State) {
		m.Say(s.State.Generation, "done", "")
	}
	ip, err := m.put(s.State)
	if err == nil {
		err = m.exporter.Serve(ip)
	}
	if err == nil {
		err = m.run()
	}
	assert.NoError(p.T, err, s.Name)
	if m.takes && hasPatroni(s.State) && err == nil { // the first boot starts all that there is
		go m.settle(s.State.Generation)
	}
	return m
}

func hasPatroni(s guest.State) bool {
	return slices.ContainsFunc(s.Services, func(service guest.Service) bool { return service.Name == "patroni-settings.service" })
}
