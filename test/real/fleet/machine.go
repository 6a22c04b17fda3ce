package fleet

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// World has machines.
type World interface {
	// Machines are those that exist, or why that cannot be told while something changes.
	Machines() ([]hypervisor.Machine, error)
}

// witness is a world that wants to know which machines run.
type witness interface {
	Starts(id string) error
	Ends(id string) error
}

// Run tells one run of a machine's service from another.
type Run struct {
	Name, ID string // of the domain
	Data     string // directory
	Restart  string // another one when the state wants the service restarted
	Reboots  int
}

// Spec is what a machine is to be.
type Spec struct {
	Run
	State guest.State
}

// Machine is one whose service runs.
type Machine interface {
	Current() Run
	Taken() (generation string)             // of the state that it was told to take up
	Say(generation, outcome, reason string) // what quorum-apply does
	Apply(Spec) error                       // a change that needs no restart
	Stop()
}

// Service is what runs on the machines.
type Service[M Machine] interface {
	// Wanted is what a machine is to be, if the service is to run there now.
	Wanted(hypervisor.Machine, guest.State) (s Spec, is bool)
	Start(Spec) M
	// Before is called with all machines before what runs is made so, and After afterwards.
	Before(all []hypervisor.Machine)
	After()
}
