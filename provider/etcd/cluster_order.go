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
	for i, answers := range alive {
		if !r.isMade(i) {
			continue
		}
		if answers {
			answering = append(answering, i)
		} else {
			silent = append(silent, i)
		}
	}
	slices.SortStableFunc(answering, func(a, b int) int { // where another machine is in the place of one, the update stops
		switch {
		case strange[a] == strange[b]:
			return 0
		case strange[a]:
			return -1
		}
		return 1
	})
	return silent, answering
}
