package health

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// Plan is what an update is about to do to a cluster.
type Plan struct {
	Version   *string           `pulumi:"version,optional"`
	Keys      *string           `pulumi:"keys,optional"`
	Authority *string           `pulumi:"authority,optional"`
	Rebuilds  map[string]string `pulumi:"rebuilds,optional"`
	Data      map[string]string `pulumi:"data,optional"`
	Volumes   map[string]string `pulumi:"volumes,optional"`
	Upgrade   *Upgrade          `pulumi:"upgrade,optional"`

	LoadBalancers []LoadBalancer `pulumi:"loadBalancers,optional" json:"loadBalancers,omitempty"`

	// Of a cluster that others have made.
	Etcd               *host.EtcdConnection `pulumi:"etcd,optional" json:"etcd,omitempty"`
	ReplicatorPassword *string              `pulumi:"replicatorPassword,optional" provider:"secret" json:"replicatorPassword,omitempty"`
	Libraries          []string             `pulumi:"libraries,optional" json:"libraries,omitempty"`
	Parameters         map[string]string    `pulumi:"parameters,optional" json:"parameters,omitempty"`
}

// stored are the data of a node.
func (p Plan) stored(node string) guest.Stored {
	return guest.Stored{Hash: p.Data[node], On: p.Volumes[node]}
}

// mostAtOnce is how many nodes may change without health checks: committed data
// may be on only two.
const mostAtOnce = 1

// ValidateChange returns what would endanger the cluster in a change from
// before to a.
func (a HealthArgs) ValidateChange(before HealthArgs) []check.Problem {
	var l check.List
	old, now := nodeNames(before.Nodes), nodeNames(a.Nodes)
	if len(old) > 0 && !slices.ContainsFunc(old, func(name string) bool { return slices.Contains(now, name) }) {
		l.Add("nodes", "must keep at least one of %s: new nodes copy the data of one that stays", strings.Join(old, ", ")).Shape()
	}
	for i, n := range a.Nodes {
		if was := slices.IndexFunc(before.Nodes, func(b Node) bool {
			return n.IP != "" && b.IP == n.IP && port(b) == port(n) && b.Name != n.Name && !b.isExternal()
		}); was >= 0 {
			l.Add(check.Index("nodes", i)+".ip", "must not be %s, the address of %s: the machine of a removed node is deleted last. Give %s another address, or keep the name",
				n.IP, before.Nodes[was].Name, n.Name)
		}
	}
	if was, is := before.Passwords, a.Passwords; was != nil && is != nil && *was != *is && a.Without != nil && !maps.EqualFunc(before.Triggers, a.Triggers, guest.Unchanged) {
		l.Add("passwords", "must not change in an update that rebuilds %[1]s, or restarts Patroni there: %[1]s could not log in to the leader, which still has the old ones. Change passwords in an update of their own",
			*a.Without).Shape().Needing("triggers", "without")
	}
	if a.Plan == nil || before.Plan == nil {
		return l
	}
	l.Check("standbyOf", a.standbyAdded(before))
	l.Check("upgradeFrom", a.upgradeFromAdded(before))
	l.Under("", a.Plan.upgrades(*before.Plan))
	l.Under("", a.takesOver(before))
	if was, is := before.Plan.Keys, a.Plan.Keys; was != nil && is != nil && *was != *is && (!before.isAllExternal() || !a.isAllExternal()) {
		l.Add("plan.keys", "must stay %s, not be %s: patroni.scope and patroni.namespace name the cluster, and under another name the nodes would start a second cluster", *was, *is)
	}
	if was, is := before.Plan.Authority, a.Plan.Authority; was != nil && is != nil && !*a.SkipHealthChecks {
		l.Check("plan.authority", check.AuthorityChange(time.Now(), *was, before.CACert, *is, a.CACert))
	}
	if len(old) == 1 && !a.mayLose() {
		if loss := before.Plan.stored(old[0]).Loss(a.Plan.stored(old[0])); loss != nil {
			l.Add("plan.data", "this change %s: the cluster would start again empty. Add a node first, in an update of its own, or allow the loss with allowDataLoss: true%s",
				loss.Of(old[0]+", the only node"), loss.Or)
		}
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(before.Plan.Rebuilds)) {
		if !guest.Unchanged(before.Plan.Rebuilds[name], a.Plan.Rebuilds[name]) {
			changed = append(changed, name)
		}
	}
	if *a.SkipHealthChecks && len(changed) > mostAtOnce {
		l.Add("skipHealthChecks", "must not be on while %s are changed or removed: without health checks at most %d node may be rebuilt or removed in one update. Take skipHealthChecks out of the program, or change fewer at once",
			strings.Join(changed, ", "), mostAtOnce).Needing("plan.rebuilds")
	}
	return l
}

// mayLose reports whether the only node may lose its data.
func (a HealthArgs) mayLose() bool { return a.AllowDataLoss != nil && *a.AllowDataLoss }

// beginsAgain reports whether the only node may belong to another cluster than
// before.
func (a HealthArgs) beginsAgain(before []Node) bool {
	return a.mayLose() && len(a.Nodes) == 1 && len(before) <= 1
}

func nodeNames(nodes []Node) (names []string) {
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

func port(n Node) int {
	if n.APIPort == nil {
		return ports.Patroni
	}
	return *n.APIPort
}

// warnOfAuthority warns of one that a preview does not know, where there was one.
func (a HealthArgs) warnOfAuthority(ctx context.Context) {
	if is := a.Plan.Authority; is != nil && *is == "" && !*a.SkipHealthChecks {
		p.GetLogger(ctx).Warning(check.AuthorityUnknown)
	}
}
