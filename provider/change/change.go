// Package change has the resource that says what an update does to a machine:
// MachineChange.
//
// A component gives it what may happen to the machine, in words, each with a
// text that changes when it does. What differs from the last time is what a
// preview, and an update, then says. Nothing is ever done by it.
package change

import (
	"context"
	"maps"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Machine says what an update does to a machine.
type Machine struct{}

// MachineArgs are the inputs of a Machine.
type MachineArgs struct {
	Effects map[string]string `pulumi:"effects" provider:"secret"`
}

// MachineState is what is kept of a Machine.
type MachineState struct{ MachineArgs }

var (
	_ infer.CustomResource[MachineArgs, MachineState] = Machine{}
	_ infer.CustomUpdate[MachineArgs, MachineState]   = Machine{}
)

// Validate finds nothing wrong.
func (MachineArgs) Validate() []check.Problem { return nil }

// Create says nothing: all is new.
func (Machine) Create(_ context.Context, req infer.CreateRequest[MachineArgs]) (infer.CreateResponse[MachineState], error) {
	return infer.CreateResponse[MachineState]{ID: req.Name, Output: MachineState{req.Inputs}}, nil
}

// Update says what happens.
func (Machine) Update(ctx context.Context, req infer.UpdateRequest[MachineArgs, MachineState]) (infer.UpdateResponse[MachineState], error) {
	p.GetLogger(ctx).Info(strings.Join(Said(req.State.Effects, req.Inputs.Effects), "\n"))
	return infer.UpdateResponse[MachineState]{Output: MachineState{req.Inputs}}, nil
}

// Said is what differs, but for what is part of something greater: a machine
// rebuilt has nothing that restarts.
func Said(before, now map[string]string) []string {
	if len(now) == 0 {
		return []string{"the effect depends on values that are not known yet"}
	}
	all := maps.Clone(before)
	maps.Copy(all, now)
	var lines []string
	for _, effect := range slices.Sorted(maps.Keys(all)) {
		old, had := before[effect]
		made := !had && strings.HasPrefix(effect, guest.Rebuild) // a volume that is made takes no other's place
		if text, has := now[effect]; !made && (had != has || old != text) {
			lines = append(lines, effect)
		}
	}
	if slices.Contains(lines, guest.Anew) { // whatever else asks for it
		lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, guest.Anew+",") })
	}
	for _, greater := range []string{guest.Rebuild, guest.PowerOff} {
		if some := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, greater) }); len(some) > 0 {
			return some
		}
	}
	slices.Reverse(lines) // the greatest first
	return lines
}
