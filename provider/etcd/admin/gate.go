package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// next says what is still missing. If nothing is, it does what was asked for:
// it moves the leadership, or brings in and removes members.
func (a HealthArgs) next(ctx context.Context, v view) (missing string, err error) {
	conditions, needed := v.voters(a.Without)
	if *a.Require == All {
		if conditions, err = a.ofMembers(ctx, v); err != nil {
			return "", err
		}
		needed = len(conditions)
	}
	var healthy, wrong []string
	for _, c := range conditions {
		if c.fault == "" {
			healthy = append(healthy, c.name)
		} else {
			wrong = append(wrong, c.name+" "+c.fault)
		}
	}
	if lost := a.blank(v); lost != nil && len(healthy) < needed {
		return "", noDataError{*lost}
	}
	switch {
	case len(healthy) < needed && ptr.Value(a.RemoveOthers) && *a.Require == All:
		if missing, err := a.converge(ctx, v); missing != "" || err != nil {
			return missing, err
		}
		fallthrough
	case len(healthy) < needed:
		return fmt.Sprintf("the cluster needs %d healthy members%s, and has %d\n%s", needed, a.exception(), len(healthy), strings.Join(wrong, "\n")), nil
	case a.Without != nil && len(healthy) > 0:
		return v.moveLeader(ctx, *a.Without, a.transferee(healthy))
	case ptr.Value(a.RemoveOthers) && *a.Require == Quorum:
		if missing, err := a.removeDead(ctx, v); missing != "" || err != nil {
			return missing, err
		}
		return a.down(ctx, v)
	case ptr.Value(a.RemoveOthers):
		return a.removeOthers(ctx, v)
	}
	return "", nil
}

// condition is what is wrong with a member, or "".
type condition struct{ name, fault string }

// ofMembers are the conditions of the members that have to be healthy.
func (a HealthArgs) ofMembers(ctx context.Context, v view) ([]condition, error) {
	var all []condition
	var waits []int // for a configuration
	for i, m := range a.Members {
		if a.Without != nil && m.Name == *a.Without {
			continue
		}
		if all = append(all, condition{m.Name, v.wrong(m.Name, m.IP)}); m.Generation != nil && all[len(all)-1].fault == "" {
			waits = append(waits, i)
		}
	}
	faults, errs := make([]string, len(waits)), make([]error, len(waits))
	sideBySide(len(waits), func(i int) {
		m := a.Members[waits[i]]
		faults[i], errs[i] = wait.Applied(ctx, m.IP, *m.Generation)
	})
	for i, member := range waits {
		if errs[i] != nil {
			return nil, fmt.Errorf("%s: %w", a.Members[member].Name, errs[i])
		}
		at := slices.IndexFunc(all, func(c condition) bool { return c.name == a.Members[member].Name })
		all[at].fault = faults[i]
	}
	return all, nil
}

// voters are the conditions of the voting members, also of those to be removed,
// and how many of them must be healthy for a quorum. Of one or two members
// there is no quorum without one: then all others must be healthy.
func (v view) voters(without *string) (all []condition, needed int) {
	n := 0
	for _, m := range v.list {
		if m.IsLearner {
			continue
		}
		n++
		if without == nil || m.Name != *without {
			all = append(all, condition{m.Name, v.of(m).fault})
		}
	}
	return all, min(quorum(n), max(len(all), n-1))
}

// transferee is the member that becomes the leader: of the healthy ones the one
// that changes last.
func (a HealthArgs) transferee(healthy []string) string {
	for _, m := range slices.Backward(a.Members) {
		if slices.Contains(healthy, m.Name) {
			return m.Name
		}
	}
	return healthy[0]
}

func (a HealthArgs) exception() string {
	if a.Without == nil {
		return ""
	}
	return " besides " + *a.Without
}

// converge brings in a member of the program that does not vote or has no data,
// whatever happened since the update that created it.
func (a HealthArgs) converge(ctx context.Context, v view) (missing string, err error) {
	for _, m := range a.Members {
		if found := v.find(m.Name, m.IP); m.isExternal() || found != nil && !found.IsLearner && v.at(m.IP).page.State != blank {
			continue
		}
		missing, err := v.bringIn(ctx, MemberArgs{Etcd: a.Etcd, Name: m.Name, IP: m.IP})
		if missing != "" {
			missing = m.Name + ": " + missing
		}
		return missing, err
	}
	return "", nil
}

// upgradable reports whether the members may change to the release wanted: etcd
// goes up one minor at a time, and from 3.6 on down again.
// https://etcd.io/docs/latest/upgrades/
func (a HealthArgs) upgradable(v view) error {
	if a.Version == nil {
		return nil
	}
	running := v.running()
	for _, m := range v.list {
		if reason := config.Step(running, v.version(m), *a.Version); reason != "" {
			return fmt.Errorf("%s runs etcd %s, and the version in the program %s", called(m), v.version(m), reason)
		}
	}
	if target := config.Down(running, *a.Version); target != "" && a.isShared() {
		return fmt.Errorf("the members run etcd %s, and the version in the program is one of a minor version before: etcd goes back only as a whole, once no member is external", running[0])
	}
	if target := config.Down(running, *a.Version); target != "" && !ptr.Value(a.RemoveOthers) && v.downTo() == "" {
		return fmt.Errorf("the members run etcd %s, and the version in the program is one of a minor version before: first their data must be such that it can read them. An EtcdCluster does that; by hand it is `etcdctl downgrade enable %s`", running[0], strings.TrimSuffix(target, ".0"))
	}
	return nil
}
