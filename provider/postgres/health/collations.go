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

// superuser is how a node is reached, with the password of this gate.
func (g *gate) superuser(n Node) admin.Connection { return g.superuserBy(g.SuperuserPassword, n) }

func (g *gate) superuserBy(password *string, n Node) admin.Connection {
	at := net.JoinHostPort(n.IP, strconv.Itoa(ports.Postgres))
	if g.at != nil {
		at = g.at(n)
	}
	return admin.Connection{
		Endpoints: []string{at}, Password: password,
		CACert: g.CACert, ClientCert: &g.ClientCert, ClientKey: &g.ClientKey,
	}
}

// sortAlike requires a machine that is another one now to sort text as the leader does, whose indexes it has: else queries
// miss rows, and once it leads, indexes are wrong. Where the program says so, they are made anew on the leader instead.
func (g *gate) sortAlike(ctx context.Context) error {
	leader, reason := g.last.leader()
	n := g.named(leader)
	reindexes := ptr.Value(g.ReindexCollations) && g.StandbyOf == nil
	if g.SuperuserPassword == nil || reason != "" || n == nil || !g.isOfAll() && !g.isAnother() && !reindexes {
		return nil
	}
	found, err := g.sortsOf(ctx, *n)
	switch {
	case err != nil && reindexes:
		return fmt.Errorf("%s: reindexCollations: whether it sorts text as before cannot be seen from here: %w", leader, err)
	case err != nil:
		return g.unseen(ctx, leader, err)
	case len(found) > 0 && reindexes:
		return g.reindex(ctx, *n, found)
	case len(found) > 0 && g.isAnother() && g.StandbyOf == nil:
		return fmt.Errorf("%s leads, and sorts text in another way than when indexes were made: %s. Queries may miss rows, and writes spoil indexes. "+
			"Set reindexCollations, which makes them anew, or give its machine an image with the former C library and ICU", leader, texts(found))
	case len(found) > 0:
		g.tellSorts(ctx, leader, found)
		return nil
	case !g.isAnother() || *g.Node == leader || reindexes:
		return nil
	}
	other := g.named(*g.Node)
	switch found, err := g.sortsOf(ctx, *other); {
	case err != nil && !admin.IsAway(err):
		return fmt.Errorf("%s: a database that %s has cannot be read here, as where its image lacks a locale: %w. Mend the image, or give its machine the former one again", other.Name, leader, err)
	case err != nil:
		return g.unseen(ctx, other.Name, err)
	case len(found) > 0:
		return fmt.Errorf("%s sorts text in another way than %s, which made the indexes: %s. Queries there may miss rows, and writes spoil indexes once it leads: its image has another C library or ICU. "+
			"Give its machine the former image again, or set reindexCollations: then all nodes change, and the indexes are made anew as soon as one of them leads", other.Name, leader, texts(found))
	}
	return nil
}

// isAnother reports whether the gate is of a node whose machine is another one than before, or is new.
func (g *gate) isAnother() bool {
	before, had := g.old.Triggers[machineTrigger]
	return g.Node != nil && (!had || !guest.Unchanged(before, g.Triggers[machineTrigger]))
}

const (
	sortsLimit = 2 * time.Minute
	sortsTries = 3
)

// sortsOf asks a node, again if it does not answer at once.
func (g *gate) sortsOf(ctx context.Context, n Node) (found []admin.Sorted, err error) {
	ctx, cancel := context.WithTimeout(ctx, sortsLimit)
	defer cancel()
	for range sortsTries {
		if found, err = g.superuser(n).Sorts(ctx); err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(time.Second)
	}
	return found, err
}

// unseen is what becomes of a look that failed: where none answers, as behind a firewall, it is told of machines that are
// other ones now. What PostgreSQL refuses of these is an error.
func (g *gate) unseen(ctx context.Context, name string, err error) error {
	_, had := g.old.Triggers[machineTrigger]
	switch {
	case !g.isAnother() || !had:
		return nil
	case !admin.IsAway(err):
		return fmt.Errorf("%s: whether the other machine sorts text as before cannot be seen: %w", name, err)
	}
	p.GetLogger(ctx).Warningf("%s: whether the other machine sorts text as before could not be seen from here: %s", name, err)
	return nil
}

func (g *gate) tellSorts(ctx context.Context, leader string, found []admin.Sorted) {
	text := "%s sorts text in another way than when indexes were made: %s. Queries may miss rows. Set reindexCollations to have the indexes made anew"
	if g.StandbyOf != nil {
		text = "%s sorts text in another way than the cluster that it follows: %s. Queries here may miss rows. When this cluster is promoted, set reindexCollations to have the indexes made anew"
	}
	p.GetLogger(ctx).Warningf(text, leader, texts(found))
}

// reindex makes anew, on the leader, what it sorts otherwise.
func (g *gate) reindex(ctx context.Context, leader Node, found []admin.Sorted) error {
	if _, has := ctx.Deadline(); !has {
		bounded, cancel := context.WithTimeout(ctx, reindexLimit)
		defer cancel()
		ctx = bounded
	}
	for _, each := range found {
		p.GetLogger(ctx).Infof("%s: %s: its indexes are made anew", leader.Name, each)
		say := func(text string) {
			if p.GetLogger(ctx).InfoStatus(text); strings.Contains(text, "left as they are") {
				p.GetLogger(ctx).Warning(text)
			}
		}
		if err := g.superuser(leader).Reindex(ctx, each.Database, say); err != nil {
			return fmt.Errorf("%s: %s: the indexes could not be made anew: %w. The next `pulumi up` begins with them again", leader.Name, each, err)
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
