package etcd

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// order gives the members whose machines do not answer, and the others. A
// preview asks nobody, and takes them as the program has them, but for those
// that it has no name of.
func (r *etcdRoll) order(ctx *pulumi.Context) (silent, answering []int) {
	alive, strange := slices.Repeat([]bool{true}, len(r.in.Args.Members)), make([]bool, len(r.in.Args.Members))
	if !ctx.DryRun() && server.Hooks {
		var ips, addresses []string
		for _, m := range r.in.Args.Members {
			ips, addresses = append(ips, m.backend().IP()), append(addresses, ports.At(m.backend().IP(), ports.EtcdClient))
		}
		alive, strange = admin.Alive(ctx.Context(), addresses), admin.Strange(ctx.Context(), ips)
	}
	var others []int // where another machine is in the place of one: there the update stops, before it changes anything
	for i, answers := range alive {
		if !r.isMade(i) {
			continue
		}
		switch {
		case !answers:
			silent = append(silent, i)
		case strange[i]:
			others = append(others, i)
		default:
			answering = append(answering, i)
		}
	}
	return silent, append(others, answering...)
}
