package etcd

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/internals"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// order gives the members whose machines do not answer, and the others. A
// preview asks nobody, and takes them as the program has them, but for those
// that it has no name of.
func (r *etcdRoll) order(ctx *pulumi.Context) (silent, answering []int) {
	alive := slices.Repeat([]bool{true}, len(r.in.Args.Members))
	if !ctx.DryRun() && server.Hooks {
		var addresses []string
		for _, m := range r.in.Args.Members {
			addresses = append(addresses, ports.At(m.backend().IP(), ports.EtcdClient))
		}
		alive = admin.Alive(ctx.Context(), addresses)
	}
	for i, answers := range alive {
		if !server.IsNamed(r.in, check.Index("members", i)) {
			continue
		}
		if answers {
			answering = append(answering, i)
		} else {
			silent = append(silent, i)
		}
	}
	return silent, answering
}

// after is an input of a resource that is known when what is before that is
// done, so that the resource waits for it. It is no dependency, which would be in
// the state: members come in another order while one does not answer, and in an
// update with --target the engine takes it that what a resource depended on last
// time comes before it. What came later would end the update then, as a
// duplicate.
func after[T any](ctx *pulumi.Context, before []pulumi.Output, input T) pulumi.Output {
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
