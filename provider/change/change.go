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
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
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

// Create says nothing of a machine by itself if all is new.
func (Machine) Create(ctx context.Context, req infer.CreateRequest[MachineArgs]) (infer.CreateResponse[MachineState], error) {
	now, resource := req.Inputs, called(ctx, req.Name)
	if was, _ := running.Noted[found](ctx, string(running.URN(ctx))); was.MachineArgs != nil && now.Cluster == nil {
		now.tell(ctx, *was.MachineArgs, resource, tense(req.DryRun))
	}
	now.note(ctx, req.Name, happens{isNew: true, again: now.asMadeAgain(tense(req.DryRun))})
	return infer.CreateResponse[MachineState]{ID: req.Name, Output: MachineState{now}}, nil
}

// Update says what happens.
func (Machine) Update(ctx context.Context, req infer.UpdateRequest[MachineArgs, MachineState]) (infer.UpdateResponse[MachineState], error) {
	req.Inputs.tell(ctx, req.State.MachineArgs, called(ctx, req.ID), tense(req.DryRun))
	return infer.UpdateResponse[MachineState]{Output: MachineState{req.Inputs}}, nil
}

// tell says what happens, or has the cluster say it, and warns of data that are lost.
func (a MachineArgs) tell(ctx context.Context, before MachineArgs, resource string, when tense) {
	before = a.asFound(ctx, resource, before)
	lines := a.again(before, Said(before.Effects, a.Effects), when)
	if a.Cluster != nil {
		a.note(ctx, resource, happens{lines: lines, loss: a.loss(before, lines)})
		return
	}
	if slices.Contains(lines, guest.DataAgain) { // the DataGuard tells of other losses
		p.GetLogger(ctx).Warning(lossOf([]string{a.name(resource)}, []guest.Loss{{On: "its data volume", Again: true}}, " and no other machine is known to have them", when))
	}
	warnOfAnotherKey(ctx, before.settings(), a.settings())
	warnOfEarlierDay(ctx, before.settings(), a.settings())
	if text := a.says(before, a.name(resource), lines, when); text != "" {
		p.GetLogger(ctx).Info(text)
	}
}

// Hides hashes of where the data lie, and ids: effects tell it.
func (Machine) Hides(_ urn.URN, path string) bool {
	return slices.Contains([]string{"data", "machineId", "dataId"}, path)
}

// Decide finds no change in an id that an earlier version did not keep, and one where the data volume grows
// although its size was told in an update that left the volume out. Of effects --diff shows those that
// occur: a state of an earlier release has the same one with another text.
func (Machine) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	before, now := noteFound(ctx, req.OldInputs).Effects, texts(req.Inputs, "effects")
	has := grows(ctx, called(ctx, req.ID), req.Inputs)
	for path, diff := range changes {
		has = has || diff.Kind != p.Add || path != "machineId" && path != "dataId"
	}
	maps.DeleteFunc(changes, func(path string, _ p.PropertyDiff) bool {
		steps, err := resource.ParsePropertyPath(path)
		if err != nil || len(steps) != 2 || steps[0] != "effects" {
			return false
		}
		effect, _ := steps[1].(string)
		line, occurs := occurs(effect, before, now)
		return !occurs || line == guest.DataGrows // which the volume shows
	})
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
	if bool(when) {
		t.add(1, clients{before: before.settings(), now: a.settings()}.notice()...)
	}
	t.restart(differ.needing(before.RestartSettings, a.RestartSettings), startsAgain(lines), a.RestartCommand)
	return t.String()
}
