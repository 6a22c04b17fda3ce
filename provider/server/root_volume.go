package server

import (
	"fmt"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// RootHooks have the root volume of a machine made only in an update that has the gate in
// front of the machine. The engine deletes the former volume at the end of the update: if
// --target left out the machine, this would be under a machine that runs.
func RootHooks(ctx *pulumi.Context, machine string, gate pulumi.Resource, opts []pulumi.ResourceOption) (*pulumi.ResourceHookBinding, error) {
	if !Hooks {
		return nil, nil
	}
	given, err := pulumi.NewResourceOptions(opts...)
	if err != nil {
		return nil, err
	}
	var known atomic.Pointer[urn.URN]
	fault.Apply(gate.URN(), func(u pulumi.URN) any {
		is := urn.URN(u)
		known.Store(&is)
		return nil
	})
	hook, err := ctx.RegisterResourceHook(machine+"-root", func(*pulumi.ResourceHookArgs) error {
		return fault.Do(func() error { // hooks are called in goroutines of their own
			of := known.Load()
			if of == nil {
				return fmt.Errorf("the gate in front of %s is not known yet", machine)
			}
			if is, err := running.Checked(ctx, *of, pulumi.Parent(given.Parent), pulumi.Version(version.String())); is || err != nil {
				return err
			}
			return fmt.Errorf("the root volume of %s cannot be replaced in this update, which leaves out %s, by which the other machines are checked, and may leave out the machine. Run the update without --target",
				machine, of.Name())
		})
	}, nil)
	return &pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}, err
}
