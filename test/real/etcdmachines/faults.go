package etcdmachines

import (
	"maps"
	"net"
	"regexp"
	"slices"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/fleet"
)

// fault is what ails a machine until it is mended, or another is made in its place.
type fault struct {
	id     string // of the domain
	ip     string
	frozen []net.Listener // nil for a machine that is off
}

func (f *fault) close() {
	for _, l := range f.frozen {
		_ = l.Close()
	}
}

// ports are those of etcd, of its peers, and of the exporter.
var ports = []string{"2379", "2380", "9100"}

// Off has a machine be off, from before it returns, until it is mended, or
// rebuilt. One that is not there is left alone.
func (m *Machines) Off(name string) { m.ail(name, nil) }

// Freeze has a machine accept connections and never answer, from before it
// returns, until it is mended, or rebuilt.
func (m *Machines) Freeze(name string) { m.ail(name, make([]net.Listener, 0, len(ports))) }

func (m *Machines) ail(name string, frozen []net.Listener) {
	m.Lock()
	defer m.Unlock()
	all, named := m.Named(name)
	for _, each := range named {
		if old := m.faults[name]; old != nil {
			old.close()
		}
		state, err := fleet.State(each)
		require.NoError(m.T, err)
		m.faults[name] = &fault{each.ID, address(state), frozen}
	}
	m.Look(all)
}

// Mend ends what Off and Freeze began.
func (m *Machines) Mend(name string) {
	m.Lock()
	defer m.Unlock()
	if f := m.faults[name]; f != nil {
		f.close()
		delete(m.faults, name)
	}
}

// outlive ends the faults of machines that are gone.
func (m *Machines) outlive(machines []hypervisor.Machine) {
	for name, f := range m.faults {
		if !slices.ContainsFunc(machines, func(each hypervisor.Machine) bool { return each.Name == name && each.ID == f.id }) {
			f.close()
			delete(m.faults, name)
		}
	}
}

// freeze has the machines listen that are frozen. The kernel accepts for them.
func (m *Machines) freeze() {
	for _, f := range m.faults {
		if f.frozen == nil {
			continue
		}
		for _, port := range ports[len(f.frozen):] {
			l, err := net.Listen("tcp", net.JoinHostPort(f.ip, port))
			if err != nil {
				break // it is being closed
			}
			f.frozen = append(f.frozen, l)
		}
	}
}

// Expire boots a machine with another certificate in place of the one that its
// drive has, until it gets one that is not the same as that.
func (m *Machines) Expire(name string, expired func(certificate string) string) {
	m.Lock()
	defer m.Unlock()
	all, named := m.Named(name)
	for _, each := range named {
		state, err := fleet.State(each)
		require.NoError(m.T, err)
		for _, f := range state.Files {
			if f.Path == certificateFile {
				m.expired[f.Content] = expired(f.Content)
				m.reboots[name]++
			}
		}
	}
	m.Look(all)
}

// Renew boots the machines whose certificates were expired with those of their drives.
func (m *Machines) Renew() {
	m.Lock()
	defer m.Unlock()
	for name := range maps.Keys(m.reboots) {
		m.reboots[name]++
	}
	clear(m.expired)
}

const certificateFile = "/etc/etcd/tls/server.crt"

// AnyPeer has members take whatever the authority signed for a peer, as before peers had a
// name, from when they start next.
func (m *Machines) AnyPeer(is bool) {
	m.Lock()
	defer m.Unlock()
	m.anyPeer = is
}

var peerName = regexp.MustCompile(`(?m)^ *allowed-hostname:\n( *- .*\n)+`)

// aged has the configuration of a member that takes anybody.
func (m *Machines) aged(s guest.State) guest.State {
	if !m.anyPeer {
		return s
	}
	s.Files = slices.Clone(s.Files)
	for i, f := range s.Files {
		if f.Path == "/etc/etcd/conf.yml" {
			s.Files[i].Content = peerName.ReplaceAllString(f.Content, "")
		}
	}
	return s
}

// dated has expired certificates in place of those that were good.
func (m *Machines) dated(s guest.State) guest.State {
	s.Files = slices.Clone(s.Files)
	for i, f := range s.Files {
		if expired, is := m.expired[f.Content]; is && f.Path == certificateFile {
			s.Files[i].Content = expired
		}
	}
	return s
}
