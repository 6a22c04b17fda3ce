package running

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// tellToken is that of a function which the schema does not have: Tell calls it.
const tellToken = "quorum:index:inProgram"

// Parts are what a component of the program is made of, by their own names.
type Parts []string

// DataVolume is the name by which a component tells of the data volume of a machine. It has no parts where the
// volume stays as it is in this run, or else the size that it has before.
func DataVolume(machine string) string { return machine + "-data-volume" }

type told struct {
	Name  string   `pulumi:"name"`
	Parts []string `pulumi:"parts"`
}

// Tell tells the provider of a component's children of what parts the program
// has it made: by Noted, as Parts, Beside the name. That may be another process than the
// component's own, and of resources that an update leaves out by --target the
// engine tells it nothing.
func Tell(ctx *pulumi.Context, name string, parts Parts, opts ...pulumi.InvokeOption) error {
	var nothing struct{}
	return ctx.Invoke(tellToken, &told{below(URN(ctx.Context()), name), parts}, &nothing, opts...)
}

// hear notes what Tell tells.
func hear(ctx context.Context, req p.InvokeRequest) p.InvokeResponse {
	if name, parts := req.Args.Get("name"), req.Args.Get("parts"); name.IsString() && parts.IsArray() {
		Note(ctx, name.AsString(), func(now *Parts) {
			*now = Parts{}
			for _, part := range parts.AsArray().All {
				if part.IsString() {
					*now = append(*now, part.AsString())
				}
			}
		})
	}
	return p.InvokeResponse{}
}
