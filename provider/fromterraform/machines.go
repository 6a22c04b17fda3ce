package fromterraform

import (
	"crypto/sha1" //nolint:gosec // by which OpenStack's provider keeps user data in a state
	"encoding/hex"
	"net/netip"
	"slices"
	"strings"
)

// Machine is a virtual machine in a state.
type Machine struct {
	Address   string
	Name      string
	backend   string    // the input that says where it runs: libvirt or openstack
	where     *block    // what that has
	uri       reference // of its hypervisor, or ""
	keypair   string    // that OpenStack knows
	addresses []string
	problems  []string // what could not be read of it as a whole
	disks     int      // of a domain
	place     int      // among all resources: the order does not depend on how states are named
	shown     bool     // its state does not tell hypervisors apart
	Documents
}

// inventory are the resources of states, and which of them the program has.
type inventory struct {
	all      []Resource
	used     map[string]bool // addresses
	places   places
	networks []Resource // libvirt_network
}

func newInventory(all []Resource) *inventory {
	s := &inventory{all: all, used: map[string]bool{}}
	s.networks = s.of("libvirt_network")
	s.places = newPlaces(s.of("libvirt_domain"))
	return s
}

// of are the resources of a type, in the order of their addresses.
func (s *inventory) of(kind string) (all []Resource) {
	for _, r := range s.all {
		if r.Type == kind {
			all = append(all, r)
		}
	}
	return all
}

// find is the one resource that a condition holds of.
func (s *inventory) find(kind string, is func(Resource) bool) (Resource, bool) {
	all := s.of(kind)
	i := slices.IndexFunc(all, is)
	if i < 0 {
		return Resource{}, false
	}
	return all[i], true
}

func (s *inventory) placeOf(r Resource) int {
	return slices.IndexFunc(s.all, func(other Resource) bool { return other.Address == r.Address })
}

func (s *inventory) use(r Resource) { s.used[r.Address] = true }

// machines are those of all backends.
func (s *inventory) machines() (all []*Machine) {
	for _, domain := range s.of("libvirt_domain") {
		if !domain.Data {
			all = append(all, s.domain(domain))
		}
	}
	for _, instance := range s.of("openstack_compute_instance_v2") {
		if !instance.Data {
			all = append(all, s.instance(instance))
		}
	}
	return all
}

// readUserData notes why it cannot be read, instead of failing: the rest of a state is
// worth reading.
func (m *Machine) readUserData(from, text string) {
	documents, err := readDocuments(from, text)
	m.Documents = documents
	for _, why := range documents.broken {
		if err == nil {
			m.problems = append(m.problems, from+": of the user data "+why)
		}
	}
	if err != nil {
		m.problems = append(m.problems, from+": the user data "+err.Error())
	}
}

// renderedAs finds the data source that made user data of which the state has a hash.
func (s *inventory) renderedAs(instance Resource, hash string) (Resource, string, bool) {
	for _, kind := range []string{"template_cloudinit_config", "cloudinit_config"} {
		for _, r := range s.of(kind) {
			rendered := r.Values.text("rendered")
			if sum := sha1.Sum([]byte(rendered)); rendered != "" && hex.EncodeToString(sum[:]) == hash { //nolint:gosec // likewise
				return r, "", true
			}
		}
	}
	// The instance was made with other user data than would be rendered today, and the
	// modules ignore that: what is in the same module, and of this machine, is the nearest.
	for _, kind := range []string{"template_cloudinit_config", "cloudinit_config"} {
		var near []Resource
		for _, r := range s.of(kind) {
			if r.Module == instance.Module && r.Values.text("rendered") != "" {
				near = append(near, r)
			}
		}
		i := slices.IndexFunc(near, func(r Resource) bool { return isOf(r, instance) })
		if i < 0 && len(near) == 1 && s.only(instance) {
			i = 0
		}
		if i >= 0 {
			return near[i], "the machine was made with other user data than " + near[i].Address + " has now: compare what is read from there with the machine", true
		}
	}
	return Resource{}, "", false
}

// isOf says whether user data are of a machine: by the same index, or by the machine's name.
func isOf(r, instance Resource) bool {
	if key := keyOfIndex(instance.Address); key != "" && keyOfIndex(r.Address) != "" {
		return key == keyOfIndex(r.Address)
	}
	documents, _ := readDocuments("", r.Values.text("rendered"))
	m := &Machine{Documents: documents}
	name := instance.Values.text("name")
	if e := m.asMember(); e != nil && e.name == name {
		return true
	}
	return slices.ContainsFunc(documents.configs, func(c section) bool { return name != "" && c.in("hostname").text() == name })
}

// only says whether a machine is the only one of its module.
func (s *inventory) only(instance Resource) bool {
	_, has := s.find(instance.Type, func(r Resource) bool { return r.Module == instance.Module && r.Address != instance.Address && !r.Data })
	return !has
}

// keyOfIndex is the index of an instance, with its brackets, or "".
func keyOfIndex(address string) string {
	if i := strings.LastIndexByte(address, '['); i >= 0 && strings.HasSuffix(address, "]") {
		return address[i:]
	}
	return ""
}

// isIP says whether s is an address.
func isIP(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// sameMAC compares hardware addresses, which libvirt writes in capitals.
func sameMAC(a, b string) bool { return a != "" && strings.EqualFold(a, b) }
