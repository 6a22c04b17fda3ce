package health

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// endsUpgrade refuses to have a program without an upgrade that was begun and not ended, and warns of nodes for which that
// is too early. One that was never begun, as where its version is not to be had, is just given up.
func (a HealthArgs) endsUpgrade(ctx context.Context, before HealthState) error {
	was := planOfBefore(ctx)
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if a.Plan.Upgrade != nil || !was.endsUpgrade || err != nil {
		return nil // in a preview certificates may be unknown
	}
	up := *was.Upgrade
	now, _, err := c.upgrade(ctx, before.Nodes)
	switch early := up.tooEarly(now, ptr.Value(a.Plan.Version)); {
	case err != nil && up.Action != UpgradeFinish: // which is known to be made
		return fmt.Errorf("upgrade: must not be taken out yet: no node says whether the upgrade from %s to %s was begun: %w", up.From, up.To, err)
	case err == nil && early != nil:
		return fmt.Errorf("upgrade: must not be taken out yet: %w", early)
	case err == nil && now.isOf(up):
		if text := now.warns(stays(before.Nodes, a.Nodes), true); text != "" {
			p.GetLogger(ctx).Warning("upgrade is taken out: " + text)
		}
	}
	return nil
}

// begun is how far an upgrade has come, if it was begun and not ended.
func (m marker) begun(u Upgrade) string {
	switch {
	case m.isOf(u) && !slices.Contains([]string{"", stageChecked, stageRefused, stageReverted, stageFinished}, m.Stage):
		return m.Stage
	case m.asked.isOf(u) && time.Since(time.Unix(m.asked.At, 0)) < time.Hour: // which nodes drop then
		return "asked for"
	}
	return ""
}

// stays are the names of nodes that a program has as before.
func stays(before, now []Node) (names []string) {
	for _, n := range now {
		if !n.isExternal() && slices.Contains(nodeNames(before), n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// warns says of nodes that were not there what that has for them: they have data of another version, or former data beside.
func (m marker) warns(names []string, out bool) string {
	var late, keep []string
	for _, name := range names {
		switch {
		case m.Joined != nil && !m.Joined[name]:
			late = append(late, name)
		case m.Stage == stageFinished && m.Cleaned != nil && !m.Cleaned[name]:
			keep = append(keep, name)
		}
	}
	var all []string
	if len(late) > 0 {
		text := strings.Join(late, ", ") + ": has not run since the data are of the other version. "
		if out {
			text += "Its new configuration is refused there while it has data of the former one: start it, and wait until it streams, before; or run `sudo quorum-apply --retry` on it when `patronictl list` shows that it streams"
		} else {
			text += "It copies the data when it comes, as long as upgrade is in the program: do not take that out before"
		}
		all = append(all, text)
	}
	if len(keep) > 0 {
		text := strings.Join(keep, ", ") + ": was off, and keeps " + dataVolume + "/data-" + m.From
		if out {
			text += ", which nothing removes any more: remove it there, with sudo rm -r"
		} else {
			text += " until it comes, as long as upgrade is in the program"
		}
		all = append(all, text)
	}
	return strings.Join(all, ". ")
}
