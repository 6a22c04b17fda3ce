package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// guardCheck checks whether a cluster can do without a member whose machine is about to be
// deleted.
type guardCheck struct {
	HealthArgs
	member string
	gone   []string // other members whose machines are being deleted, and may still answer
	loses  bool     // whether the member's data are deleted with the machine
	last   string   // the only member that the first gate saw in the update before
	formerMembers
	joined
}

// stays reports whether the program has the member.
func (g guardCheck) stays() bool { return slices.Contains(g.names(), g.member) }

// only reports whether the member is the only one, so that no other can be asked.
func (g guardCheck) only() bool { return g.stays() && len(g.Members) == 1 }

// onlyMember is the member itself, if it is the only one of the program; or if its data stay,
// and as far as is known no other has joined it, or no gate has ever seen the cluster: then
// no update has completed, and the change may be what makes it start. Removed members must
// not be in the cluster any more.
func (g guardCheck) onlyMember(ctx context.Context) *onlyMember {
	if !g.mayVote() && (g.only() || !g.loses && (!g.known || g.last == g.member && !g.othersJoined(ctx))) {
		return g.asOnly(g.member)
	}
	return &onlyMember{}
}

// await waits until the cluster can do without the member. The passwords are
// further ones that root may have.
func (g guardCheck) await(ctx context.Context, passwords []string) error {
	if ptr.Value(g.SkipHealthChecks) {
		return skipped(ctx)
	}
	if g.only() && g.loses && !ptr.Value(g.AllowDataLoss) {
		return fmt.Errorf("the machine of %s cannot be deleted now: its data would be lost with it, and no other member has them. Add two members first, in an update of its own, or allow the loss with allowDataLoss: true", g.member)
	}
	quorum := Quorum
	g.Require, g.Without, g.RemoveOthers = &quorum, &g.member, nil
	root, reports := newRootLogin(g.Etcd, nil, passwords), &recentReports{etcd: g.Etcd, members: g.Members}
	lost, only, two, idle := quorumLoss{reports: reports}, g.onlyMember(ctx), oneOfTwo{HealthArgs: g.HealthArgs, reports: reports}, withoutData{}
	oneLook := func(ctx context.Context) (missing string, err error) {
		err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
			v, err := look(ctx, client, g.Etcd, g.ips()...)
			if err == nil {
				missing, err = g.step(ctx, v)
			}
			return err
		})
		if only.passes(ctx, err) || !g.loses && g.stays() && two.passes(ctx, err) || idle.passes(ctx, g, err) {
			return "", nil
		}
		missing, err = lost.explain(ctx, missing, err)
		if missing != "" && err == nil && g.mayVote() && len(g.addresses) > 0 {
			missing += fmt.Sprintf("\nRemoved members at %s may still be voting members of the cluster: start machines that are off; "+
				"or add those members to the program again and run `pulumi up --refresh`", strings.Join(g.addresses, ", "))
		}
		if missing != "" && err == nil && !g.known && g.loses {
			missing += "\nNo update of this cluster has completed yet. If etcd never ran, `pulumi destroy` loses nothing; then run `pulumi up` again"
		}
		return missing, err
	}
	err := g.waitAndRejoin(ctx, root, func() error { return g.waits(guard.Limit, unknown).Until(ctx, oneLook) })
	return advised(err, g.ips()...)
}

// step is the next step towards doing without the member, and what is missing.
func (g guardCheck) step(ctx context.Context, v view) (missing string, err error) {
	v.lose(g.gone)
	if !g.stays() {
		for _, m := range v.list {
			if m.Name == g.member { // an update that failed before may not have come to that
				return v.expel(ctx, m, g.transferee(g.names()))
			}
		}
		return "", nil
	}
	others, _ := v.voters(&g.member)
	if needed := quorum(len(others) + 1); g.loses && !g.only() && v.votes(g.member) && len(others) < needed {
		return "", fmt.Errorf("the machine of %s cannot be deleted now: its data would be lost with it, and of the %d voting members %d would be left, but %d are needed. Add a member first, in an update of its own",
			g.member, len(others)+1, len(others), needed)
	}
	return g.next(ctx, v)
}

// lose counts members as unavailable whose machines are being deleted, although they may
// still answer.
func (v view) lose(names []string) {
	for _, m := range v.list {
		for _, url := range m.ClientURLs {
			if slices.Contains(names, m.Name) {
				v.answers[hostPort(url)] = answer{fault: "is being destroyed"}
			}
		}
	}
}
