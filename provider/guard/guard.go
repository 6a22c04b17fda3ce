// Package guard has what all guards share. A guard is what a cluster has for
// each of its machines: the machine's domain is made before it, so the engine
// deletes the guard first, and again in each update that tries. Its deletion
// asks, right then, whether the others can do without the machine.
//
// What it asks by is not its own, but what the program says of the cluster's
// gate: the engine checks that before it deletes anything, while what the state
// has of it may be out of date. When a stack is destroyed nothing is checked, and
// nobody is asked.
package guard

import (
	"context"
	"fmt"
	"slices"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// Limit bounds the wait for the others, of which one may be starting again: a
// gate has waited before, so that there is little to wait for unless something
// has happened since.
const Limit = 10 * time.Minute

// said is what the program says of a gate: nil where an update leaves it out.
type said[T any] struct{ is *T }

// Says has change what the program says of a gate.
func Says[T any](ctx context.Context, gate string, change func(before *T) T) {
	running.Note(ctx, running.Beside(ctx, gate), func(now *said[T]) {
		is := change(now.is)
		now.is = &is
	})
}

// Decide has a guard replaced, its deletion first, while its machine is being
// replaced: only then the id of that is not known.
func Decide[T any](ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	answer := p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
	if req.Inputs.Get("machine").IsComputed() {
		changes["machine"] = p.PropertyDiff{Kind: p.UpdateReplace, InputDiff: true}
		answer.HasChanges, answer.DeleteBeforeReplace = true, true
		if was, is := req.OldInputs.Get("data"), req.Inputs.Get("data"); was.IsString() && !was.Equals(is) {
			running.Note(ctx, string(req.Urn), func(l *loses) { *l = true })
		}
		if gate := req.Inputs.Get("gate"); gate.IsString() {
			running.Note(ctx, running.Beside(ctx, gate.AsString()), func(*said[T]) {})
		}
	}
	return answer
}

// loses is noted by the URN of a guard whose machine loses its data.
type loses bool

// Loses reports whether the machine of the guard that the provider is called for
// is being replaced by one without its data.
func Loses(ctx context.Context) bool {
	l, _ := running.Noted[loses](ctx, string(running.URN(ctx)))
	return bool(l)
}

// Asks is what to ask by whether the machine of a part of a cluster may go; nil
// is nobody, as when the whole is destroyed or has left the program.
func Asks[T any](ctx context.Context, gate, part string) (by *T, err error) {
	now, stays := running.Noted[said[T]](ctx, running.Beside(ctx, gate))
	parts, has := running.Noted[running.Parts](ctx, running.Beside(ctx, gate))
	switch {
	case now.is != nil:
		return now.is, nil
	case stays || has && !slices.Contains(parts, part):
		return nil, fmt.Errorf("the machine of %s cannot be deleted in this update, which leaves out %s, by which the other machines are checked. Add the URN of %[2]s with another --target, or run the update without --target",
			part, gate)
	}
	return nil, nil
}
