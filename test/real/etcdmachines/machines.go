// Package etcdmachines has a fleet whose machines run real etcd.
package etcdmachines

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/fleet"
)

// Machines are the machines of a world that run etcd.
type Machines struct {
	fleet.Fleet[*machine]

	faults  map[string]*fault
	expired map[string]string // certificates by those that they were before
	reboots map[string]int
	serving sync.Map // *embed.Etcd by name of the machine

	programs, distribution string // of other releases
	apart                  string // see Apart

	anyPeer bool // see AnyPeer
}

// Run follows the world of the fake plugins until the test ends.
func Run(t testing.TB, w engine.World) *Machines { t.Helper(); return Follow(t, w.Watch()) }

// Follow follows a world until the test ends.
func Follow(t testing.TB, w fleet.World) *Machines {
	t.Helper()
	m := &Machines{faults: map[string]*fault{}, expired: map[string]string{}, reboots: map[string]int{}}
	t.Cleanup(func() {
		for _, fault := range m.faults {
			fault.close()
		}
	})
	m.Follow(t, w, t.TempDir(), m)
	return m
}

// Wanted is a machine whose state has etcd, and which nothing ails.
func (m *Machines) Wanted(each hypervisor.Machine, state guest.State) (s fleet.Spec, is bool) {
	restart := state.Restarts()["etcd.service"]
	data := filepath.Join(m.Dir, "volumes", each.Volume)
	run := fleet.Run{Name: each.Name, ID: each.ID, Data: data, Restart: restart, Reboots: m.reboots[each.Name]}
	return fleet.Spec{Run: run, State: m.aged(m.dated(state))}, restart != "" && m.faults[each.Name] == nil
}

// Before ends the faults of machines that are gone.
func (m *Machines) Before(all []hypervisor.Machine) { m.outlive(all) }

// After has those machines listen that are frozen.
func (m *Machines) After() { m.freeze() }

// Start boots a machine.
func (m *Machines) Start(s fleet.Spec) *machine {
	return start(m.T, s, m.program(s.State), filepath.Join(m.Dir, s.Name), &m.serving)
}

// address is where a machine's etcd listens.
func address(s guest.State) string {
	for _, f := range s.Files {
		if found := listens.FindStringSubmatch(f.Content); found != nil {
			return found[1]
		}
	}
	return ""
}

var listens = regexp.MustCompile(`listen-client-urls: https://([^:]+):2379`)

// here has a file of a machine name what it has on this one.
func (m *machine) here(content string) string {
	content = strings.NewReplacer("/etc/etcd", filepath.Join(m.dir, "etc"), "/var/lib/etcd", m.Data).Replace(content)
	if listens.MatchString(content) {
		content = strings.ReplaceAll(content, ",https://127.0.0.1:2379", "")                                       // they share it here
		content += "log-level: error\nunsafe-no-fsync: true\nlog-outputs: [" + filepath.Join(m.dir, "log") + "]\n" // no power goes here
	}
	return content
}
