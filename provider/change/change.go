// Package change has the resources that say what an update does: MachineChange of a
// machine, ClusterChange of a cluster.
//
// A component gives a MachineChange what may happen to its machine, in words, each with a
// text that changes when it does. What differs from the last time is what a preview, and an
// update, then says: with what the program has set otherwise, or, in a cluster, by way of
// the ClusterChange, which says it once for all machines. Nothing is ever done by them.
package change

import (
	"context"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Machine says what an update does to a machine.
type Machine struct{}

// MachineArgs are the inputs of a Machine.
type MachineArgs struct {
	Effects         map[string]string `pulumi:"effects" provider:"secret"`
	Machine         *string           `pulumi:"machine,optional"`
	Cluster         *string           `pulumi:"cluster,optional"`
	Data            *string           `pulumi:"data,optional"`
	Volume          *string           `pulumi:"volume,optional"`
	MachineID       *string           `pulumi:"machineId,optional"`
	DataID          *string           `pulumi:"dataId,optional"`
	Settings        map[string]string `pulumi:"settings,optional"`
	SecretSettings  map[string]string `pulumi:"secretSettings,optional" provider:"secret"`
	RestartSettings []string          `pulumi:"restartSettings,optional"`
	RestartCommand  *string           `pulumi:"restartCommand,optional"`
}

// MachineState is what is kept of a Machine.
type MachineState struct{ MachineArgs }

var (
	_ infer.CustomResource[MachineArgs, MachineState] = Machine{}
	_ infer.CustomUpdate[MachineArgs, MachineState]   = Machine{}
)

// InputsOnly says that nobody reads it.
func (Machine) InputsOnly() {}

// Validate finds nothing wrong.
func (MachineArgs) Validate() []check.Problem { return nil }

// Create says nothing of a machine by itself: all is new.
func (Machine) Create(ctx context.Context, req infer.CreateRequest[MachineArgs]) (infer.CreateResponse[MachineState], error) {
	req.Inputs.note(ctx, req.Name, happens{isNew: true, again: req.Inputs.asMadeAgain(tense(req.DryRun))})
	return infer.CreateResponse[MachineState]{ID: req.Name, Output: MachineState{req.Inputs}}, nil
}

// Update says what happens.
func (Machine) Update(ctx context.Context, req infer.UpdateRequest[MachineArgs, MachineState]) (infer.UpdateResponse[MachineState], error) {
	now := req.Inputs
	before := now.asFound(ctx, called(ctx, req.ID), req.State.MachineArgs)
	lines := now.again(before, Said(before.Effects, now.Effects), tense(req.DryRun))
	if now.Cluster != nil {
		now.note(ctx, called(ctx, req.ID), happens{lines: lines, loss: now.loss(before, lines)})
		return infer.UpdateResponse[MachineState]{Output: MachineState{now}}, nil
	}
	if slices.Contains(lines, guest.DataAgain) { // the DataGuard tells of other losses
		p.GetLogger(ctx).Warning(lossOf([]string{now.name(called(ctx, req.ID))}, []guest.Loss{{On: "its data volume", Again: true}}, " and no other machine is known to have them", tense(req.DryRun)))
	}
	if text := now.says(before, now.name(called(ctx, req.ID)), lines, tense(req.DryRun)); text != "" {
		p.GetLogger(ctx).Info(text)
	}
	return infer.UpdateResponse[MachineState]{Output: MachineState{now}}, nil
}

// Hides hashes of where the data lie, and ids: effects tell it.
func (Machine) Hides(_ urn.URN, path string) bool {
	return slices.Contains([]string{"data", "machineId", "dataId"}, path)
}

// Decide finds no change in an id that an earlier version did not keep, and one where the data volume grows
// although its size was told in an update that left the volume out.
func (Machine) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	has := grows(ctx, called(ctx, req.ID), req.Inputs)
	for path, diff := range changes {
		has = has || diff.Kind != p.Add || path != "machineId" && path != "dataId"
	}
	return p.DiffResponse{HasChanges: has, DetailedDiff: changes}
}

func (a MachineArgs) stored() guest.Stored {
	return guest.Stored{Hash: ptr.Value(a.Data), On: ptr.Value(a.Volume)}
}

func (a MachineArgs) settings() settings { return settings{a.Settings, a.SecretSettings} }

// name is that of the machine, or else of the resource.
func (a MachineArgs) name(resource string) string {
	if a.Machine != nil && *a.Machine != "" {
		return *a.Machine
	}
	return resource
}

// says is the message of a machine outside of a cluster.
func (a MachineArgs) says(before MachineArgs, name string, lines []string, when tense) string {
	differ := differences(before.settings(), a.settings(), nil)
	if len(lines) == 0 && len(differ.lines) == 0 {
		return ""
	}
	var t telling
	t.heading(name, "it is", differ, onlyAgain(lines), when)
	if len(lines) == 0 {
		t.add(1, when.of("the machine does not change", "the machine did not change"))
	}
	t.add(1, brief(lines)...)
	t.follow(differ, when)
	t.restart(differ.needing(before.RestartSettings, a.RestartSettings), a.RestartCommand)
	return t.String()
}
