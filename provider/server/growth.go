package server

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// tellGrowth has the machine's MachineChange know, in previews too, whether its data volume changes in
// this update, and which size it has: an update with --target of the volume alone leaves the
// MachineChange as it was.
func (p Planned) tellGrowth(ctx *pulumi.Context) (*pulumi.ResourceHookBinding, error) {
	if !Hooks || !p.grows {
		return p.DataHooks, nil
	}
	tell := func(size running.Parts) error {
		return running.Tell(ctx, running.DataVolume(p.name), size, pulumi.Parent(p.self), pulumi.Version(version.String()))
	}
	if err := tell(running.Parts{}); err != nil {
		return nil, err
	}
	name := p.name + "-grows"
	if of := running.URN(ctx.Context()); of != "" { // servers of two types may have one name, their hooks not
		name = string(of.QualifiedType()) + "-" + name
	}
	hook, err := ctx.RegisterResourceHook(name, func(args *pulumi.ResourceHookArgs) error {
		size := args.OldOutputs["size"]
		if !size.IsNumber() {
			return nil
		}
		return fault.Do(func() error { return tell(running.Parts{fmt.Sprintf("%.0f", size.NumberValue())}) })
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	if err != nil {
		return nil, err
	}
	hooks := pulumi.ResourceHookBinding{}
	if p.DataHooks != nil {
		hooks = *p.DataHooks
	}
	hooks.BeforeUpdate = append(hooks.BeforeUpdate[:len(hooks.BeforeUpdate):len(hooks.BeforeUpdate)], hook)
	return &hooks, nil
}
