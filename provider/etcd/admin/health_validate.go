package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with a.
func (a HealthArgs) Validate() []check.Problem {
	var l check.List
	l.Under("etcd", a.Etcd.Validate(time.Now()))
	l.Required("members", a.Members)
	names, ips := make([]string, len(a.Members)), make([]string, len(a.Members))
	for i, m := range a.Members {
		names[i], ips[i] = m.Name, m.IP
		l.Check(check.Index("members", i)+".name", check.HostName(m.Name))
		l.Check(check.Index("members", i)+".ip", check.IP(m.IP))
	}
	l.Distinct(check.Each("members", len(names), "name"), names)
	l.Distinct(check.Each("members", len(ips), "ip"), ips)
	if a.Without != nil && !slices.Contains(names, *a.Without) {
		l.Add("without", "must be among members, which has %s, not %s", strings.Join(names, ", "), check.Quote(*a.Without)).Needing("members")
	}
	return l
}

// ValidateChange returns what would endanger the cluster in a change from
// before to a.
func (a HealthArgs) ValidateChange(before HealthArgs) []check.Problem {
	var l check.List
	if before.Version != nil && a.Version != nil {
		if reason := config.Up(*before.Version, *a.Version); reason != "" {
			l.Add("version", "%s, and it was %s", reason, *before.Version)
		}
	}
	if !ptr.Value(a.SkipHealthChecks) {
		l.Check("authority", check.AuthorityChange(
			time.Now(), ptr.Value(before.Authority), before.Etcd.CACert, ptr.Value(a.Authority), a.Etcd.CACert))
	}
	var stays, changed []string
	for _, m := range before.Members {
		if !slices.ContainsFunc(a.Members, func(n HealthMember) bool { return n.Name == m.Name }) {
			changed = append(changed, m.Name)
			continue
		}
		stays = append(stays, m.Name)
		if now, has := a.Triggers[m.Name]; has && !guest.Unchanged(before.Triggers[m.Name], now) {
			changed = append(changed, m.Name)
		}
	}
	for i, m := range a.Members {
		if was := slices.IndexFunc(before.Members, func(n HealthMember) bool { return n.IP == m.IP && n.Name != m.Name }); was >= 0 {
			l.Add(check.Index("members", i)+".ip", "must not be %s, the address of %s: the machine of a removed member is deleted last. Give %s another address, or keep the name",
				m.IP, before.Members[was].Name, m.Name)
		}
	}
	if len(stays) == 0 && len(before.Members) > 0 {
		l.Add("members", "must keep at least one of %s: new members get their data from one that stays", strings.Join(before.names(), ", ")).Shape()
	}
	if len(stays) > 0 && !slices.ContainsFunc(before.ips(), func(ip string) bool { return slices.Contains(a.ips(), ip) }) {
		l.Add("members", "must keep the address of at least one of %s, at which the cluster is reached while the others move. Move the others in one update, and that one in the next. A single member cannot move: add two members first",
			strings.Join(before.names(), ", ")).Needing("members")
	}
	if before.isShared() && ptr.Value(a.SkipHealthChecks) {
		l.Add("skipHealthChecks", "must not be on in an update that takes over the last external members: what that does to the cluster has to be checked").Needing("members")
	}
	l.Under("", a.losses(before))
	if most := tolerated(len(before.Members)); ptr.Value(a.SkipHealthChecks) && len(changed) > most {
		few, instead := fmt.Sprintf("at most %d", most), ", or change fewer at once"
		if most == 0 {
			few, instead = "none", ""
		}
		l.Add("skipHealthChecks", "must not be on while %s are changed or removed: without health checks %s of %d members may be rebuilt or removed in one update. Take skipHealthChecks out of the program%s",
			strings.Join(changed, ", "), few, len(before.Members), instead).Needing("triggers", "members")
	}
	return l
}

// losses refuses that members lose their data if no others have them, or only
// others that this update removes.
func (a HealthArgs) losses(before HealthArgs) check.List {
	var l check.List
	n := min(len(before.Members), len(a.Members))
	for _, m := range before.Members {
		loss := before.stored(m.Name).Loss(a.stored(m.Name))
		switch {
		case loss == nil:
		case n == 1 && !ptr.Value(a.AllowDataLoss):
			l.Add("data", "this change %s: the cluster would start again empty. Add two members first, in an update of its own, or allow the loss with allowDataLoss: true%s", loss.Of(m.Name+", the only member"), loss.Or).Needing("data")
		case n == 2:
			l.Add("data", "this change %s: a cluster of two members has no quorum without both. Add a third member first, or have others leave later, in an update of its own%s", loss.Of(m.Name), loss.Or).Needing("data")
		}
	}
	return l
}

// stored are the data of a member.
func (a HealthArgs) stored(member string) guest.Stored {
	return guest.Stored{Hash: a.Data[member], On: a.Volumes[member]}
}

// warn warns of a change from before to a that cannot be checked.
func (a HealthArgs) warn(ctx context.Context, before HealthArgs) {
	if before.Version != nil && a.Version == nil {
		p.GetLogger(ctx).Warningf("etcd.version was %s and is no longer set: which version the image or an artifact has is not known. "+
			"etcd does not start with data of a later minor version, and is upgraded one minor version at a time. A member that cannot start is rolled back, and the update stops there", *before.Version)
	}
	if ptr.Value(before.Authority) != "" && ptr.Value(a.Authority) == "" && !ptr.Value(a.SkipHealthChecks) {
		p.GetLogger(ctx).Warning(check.AuthorityUnknown)
	}
}

func (a HealthArgs) names() (all []string) {
	for _, m := range a.Members {
		all = append(all, m.Name)
	}
	return all
}
