package fleet

import (
	"encoding/json"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// reading is a state that was read: machines are looked at often and change seldom.
type reading struct {
	userData string
	state    guest.State
	err      error
}

// state is what a machine's drive says that it is to be.
func (f *Fleet[M]) state(m hypervisor.Machine) (guest.State, error) {
	last, is := f.read[m.Name]
	if !is || last.userData != m.UserData {
		last.userData = m.UserData
		last.state, last.err = State(m)
		f.read[m.Name] = last
	}
	return last.state, last.err
}

// State is what a machine's drive says that it is to be.
func State(m hypervisor.Machine) (s guest.State, err error) {
	text, err := hypervisor.State(m.UserData)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(text, &s)
}
