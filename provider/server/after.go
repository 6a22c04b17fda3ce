package server

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// After is an input of a resource that is known when what is before that is
// done, so that the resource waits for it. It is no dependency, which would be in
// the state: machines come in another order while one does not answer, and in an
// update with --target the engine takes it that what a resource depended on last
// time comes before it. What came later would end the update then, as a
// duplicate.
func After[T any](ctx *pulumi.Context, before []pulumi.Output, input T) pulumi.Output {
	out, known, failed := ctx.NewOutput()
	go func() {
		err := fault.Do(func() error {
			for _, b := range before {
				if _, err := internals.UnsafeAwaitOutput(ctx.Context(), b); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			failed(err)
			return
		}
		known(input)
	}()
	return fault.Apply(out, func(input any) T { return input.(T) })
}

// TextAfter is the same of an output.
func TextAfter(ctx *pulumi.Context, before []pulumi.Output, text pulumi.StringOutput) pulumi.StringOutput {
	return fault.Apply(pulumi.All(After(ctx, before, true), text), func(all []any) string { return all[1].(string) }).(pulumi.StringOutput)
}
