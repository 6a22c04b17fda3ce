package etcd

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
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
		if r.in.Args.Members[i].isExternal() || !server.IsNamed(r.in, check.Index("members", i)) {
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
