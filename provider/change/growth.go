package change

import (
	"context"
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// sizeFound is the size that the data volume of a machine has before this run changes it, or "" where it
// stays as it is, if its component tells that.
func sizeFound(ctx context.Context, resource string, inCluster bool) (size string, told bool) {
	if running.URN(ctx) == "" {
		return "", false
	}
	depth := 1
	if inCluster {
		depth = 2
	}
	parts, told := running.Noted[running.Parts](ctx, above(ctx, depth, running.DataVolume(resource)))
	if len(parts) > 0 {
		size = parts[0]
	}
	return size, told
}

// asFound is before with the size that the data volume has. The state of a MachineChange may have
// another one: an update with --target of the volume alone leaves it out, and somebody may have
// enlarged the volume.
func (a MachineArgs) asFound(ctx context.Context, resource string, before MachineArgs) MachineArgs {
	size, told := sizeFound(ctx, resource, a.Cluster != nil)
	was, is := before.Effects[guest.DataAnew], a.Effects[guest.DataAnew]
	if !told || !guest.IsSized(was) || !guest.IsSized(is) || !guest.Unchanged(was, is) {
		return before
	}
	before.Effects = maps.Clone(before.Effects)
	if before.Effects[guest.DataAnew] = is; size != "" {
		before.Effects[guest.DataAnew] = guest.WithSize(is, size)
	}
	return before
}

// grows reports whether the data volume of a machine with these inputs grows in this run.
func grows(ctx context.Context, resource string, inputs property.Map) bool {
	size, _ := sizeFound(ctx, resource, inputs.Get("cluster").IsString())
	effects := inputs.Get("effects")
	if size == "" || !effects.IsMap() {
		return false
	}
	is := effects.AsMap().Get(guest.DataAnew)
	return is.IsString() && guest.IsSized(is.AsString()) && guest.Grew(guest.WithSize(is.AsString(), size), is.AsString())
}
