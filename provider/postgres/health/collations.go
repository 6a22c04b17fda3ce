package health

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// reindexLimit bounds how long indexes are made anew, unless customTimeouts set a deadline.
const reindexLimit = 12 * time.Hour

// sorts is what gates see of how nodes sort text.
type sorts struct {
	leader []admin.Sorted // in another way than when indexes were made
	warned bool
	at     func(Node) string // where PostgreSQL answers, if that is not port 5432
}

// superuser is how a node is reached.
func (g *gate) superuser(n Node) admin.Connection {
	at := net.JoinHostPort(n.IP, strconv.Itoa(ports.Postgres))
	if g.sorts.at != nil {
		at = g.sorts.at(n)
	}
	return admin.Connection{
		Endpoints: []string{at}, Password: g.SuperuserPassword,
		CACert: g.CACert, ClientCert: &g.ClientCert, ClientKey: &g.ClientKey,
	}
}

// sortAlike requires nodes to sort text as the leader does, whose indexes they have: else queries miss rows, and once they
// lead, indexes are wrong. What the leader itself sorts otherwise is so already, and no reason to stop.
func (g *gate) sortAlike(ctx context.Context) error {
	leader, reason := g.last.leader()
	if g.SuperuserPassword == nil || reason != "" {
		return nil
	}
	n := g.named(leader)
	if n == nil {
		return nil
	}
	found, err := g.superuser(*n).Sorts(ctx)
	if err != nil {
		g.unseen(ctx, leader, err)
		return nil
	}
	g.sorts.leader = found
	if len(found) > 0 {
		g.tellSorts(ctx, leader)
		return nil
	}
	for _, each := range g.Nodes {
		if each.Name == leader || g.Without != nil || g.Node != nil && *g.Node != each.Name || ptr.Value(g.ReindexCollations) {
			continue
		}
		switch found, err := g.superuser(each).Sorts(ctx); {
		case err != nil:
			g.unseen(ctx, each.Name, err)
			return nil // the others would not let us in either
		case len(found) > 0:
			return fmt.Errorf("%s sorts text in another way than %s, which made the indexes: %s. Queries there may miss rows, and writes spoil indexes once it leads: its image has another C library or ICU. "+
				"Give its machine the former image again, or set reindexCollations: then all nodes change, and the indexes are made anew as soon as one of them leads", each.Name, leader, texts(found))
		}
	}
	return nil
}

// unseen warns, once, where it may matter: of machines that are other ones now.
func (g *gate) unseen(ctx context.Context, name string, err error) {
	const machine = "machine"
	before, had := g.old.Triggers[machine]
	if !had || g.sorts.warned || guest.Unchanged(before, g.Triggers[machine]) {
		return
	}
	g.sorts.warned = true
	p.GetLogger(ctx).Warningf("%s: whether it sorts text as before could not be seen from here: %s", name, err)
}

func (g *gate) tellSorts(ctx context.Context, leader string) {
	if g.sorts.warned || ptr.Value(g.ReindexCollations) && g.StandbyOf == nil {
		return
	}
	g.sorts.warned = true
	text := "%s sorts text in another way than when indexes were made: %s. Queries may miss rows. Set reindexCollations to have the indexes made anew"
	if g.StandbyOf != nil {
		text = "%s sorts text in another way than the cluster that it follows: %s. Queries here may miss rows. When this cluster is promoted, set reindexCollations to have the indexes made anew"
	}
	p.GetLogger(ctx).Warningf(text, leader, texts(g.sorts.leader))
}

// reindex makes anew, on the leader, what it sorts otherwise, if the program says so.
func (g *gate) reindex(ctx context.Context) error {
	if len(g.sorts.leader) == 0 || !ptr.Value(g.ReindexCollations) || g.StandbyOf != nil {
		return nil
	}
	if _, has := ctx.Deadline(); !has {
		bounded, cancel := context.WithTimeout(ctx, reindexLimit)
		defer cancel()
		ctx = bounded
	}
	leader, _ := g.last.leader()
	for _, each := range g.sorts.leader {
		p.GetLogger(ctx).Infof("%s: %s: its indexes are made anew", leader, each)
		if err := g.superuser(*g.named(leader)).Reindex(ctx, each, p.GetLogger(ctx).InfoStatus); err != nil {
			return fmt.Errorf("%s: %s: the indexes could not be made anew: %w. The next `pulumi up` begins with them again", leader, each, err)
		}
	}
	return nil
}

func texts(all []admin.Sorted) string {
	var list []string
	for _, each := range all {
		list = append(list, each.String())
	}
	return strings.Join(list, "; ")
}
