package health

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// existingSoon bounds the wait for the leader of a cluster that is taken over, which may just change.
const existingSoon = time.Minute

// foresee looks, before anything is changed, at what is there: at the addresses of machines that are to be made, and at
// the cluster where a node is external. A preview says what it sees.
func (a HealthArgs) foresee(ctx context.Context, now *HealthState, before HealthState, preview bool) error {
	if ptr.Value(a.SkipHealthChecks) {
		return nil
	}
	if err := a.isFree(ctx, before); err != nil || !a.hasExternal() && !before.hasExternal() {
		return err
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		if preview { // the certificate is made yet
			return nil
		}
		return err
	}
	g := &gate{HealthArgs: a, old: before, client: c}
	leader, reason := "", ""
	for begun := time.Now(); ; {
		g.last = c.look(ctx, a.Nodes)
		leader, reason = g.last.leader()
		if reason == "" || preview || time.Since(begun) > existingSoon || !wait.Sleep(ctx, time.Second) {
			break
		}
	}
	switch {
	case reason != "" && preview:
		p.GetLogger(ctx).Warningf("the cluster of the external nodes is not seen to be well, without which the update changes nothing: %s", reason)
		return nil
	case reason != "":
		return fmt.Errorf("nodes are external, so that the cluster must be there and well before anything is changed: %s", reason)
	case g.last.paused():
		return errPaused
	}
	now.SystemID = g.last.answers[leader].SystemID
	g.warnOfStrangers(ctx)
	if !a.hasExternal() {
		return errors.Join(g.fitsExisting(leader), g.isLast(leader))
	}
	g.warnOfExisting(ctx)
	g.warnOfParameters(ctx)
	return errors.Join(g.fitsExisting(leader), g.isInEtcd(ctx, now.SystemID), g.replicates(), g.logsIn(ctx, leader), g.isLast(leader))
}

// fitsExisting is what the program says otherwise than the cluster that it takes over.
func (g *gate) fitsExisting(leader string) error {
	v, is := g.last, g.last.answers[g.last.holder()]
	var all []error
	add := func(format string, args ...any) { all = append(all, fmt.Errorf(format, args...)) }
	if g.isStranger(v, leader) {
		all = append(all, strangerLeads(*v.member(leader)))
	}
	if scope := path.Base(ptr.Value(g.Plan.Keys)); ptr.Value(g.Plan.Keys) != "" && is.Patroni.Scope != "" && scope != is.Patroni.Scope {
		add("patroni.scope must be %s, as that of the external nodes is, not %s", is.Patroni.Scope, scope)
	}
	if wanted, has := ptr.Value(g.Plan.Version), fmt.Sprint(is.Version/10000); wanted != "" && is.Version > 0 && wanted != has {
		add("postgres.version must be %s, as %s has it, which leads, not %s: another major version comes by upgrade, after the last node has been taken over", has, leader, wanted)
	}
	if was := g.old.SystemID; was != "" && was != is.SystemID {
		add("%s: is the leader of another cluster: its system id is %s, and was %s", leader, is.SystemID, was)
	}
	for _, m := range v.members() {
		at, err := m.node()
		if err != nil {
			continue
		}
		if i := slices.IndexFunc(g.Nodes, func(n Node) bool { return n.isExternal() && check.SameIP(n.IP, at.IP) }); i >= 0 && g.Nodes[i].Name != m.Name {
			add("%s.name must be %s, as the node at %s is called in its cluster, not %s", check.Index("nodes", i), m.Name, at.IP, g.Nodes[i].Name)
		}
	}
	return errors.Join(all...)
}

// warnOfStrangers names members of the cluster that the program does not.
func (g *gate) warnOfStrangers(ctx context.Context) {
	var strangers []string
	for _, m := range g.last.members() {
		at, err := m.node()
		known := err == nil && slices.ContainsFunc(g.Nodes, func(n Node) bool { return check.SameIP(n.IP, at.IP) })
		if !known && g.isStranger(g.last, m.Name) {
			strangers = append(strangers, fmt.Sprintf("%s (%s)", m.Name, at.IP))
		}
	}
	if len(strangers) > 0 {
		p.GetLogger(ctx).Warningf("the cluster has nodes that the program does not name. They are left alone, and do not count: %s", strings.Join(strangers, ", "))
	}
}
