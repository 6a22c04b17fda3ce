package health

import (
	"fmt"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// upgrades returns what is wrong with the versions of a major upgrade, from the plan of before. In which order its steps are
// made, stepsOn sees to: what was made, nodes say.
func (p Plan) upgrades(before Plan) check.List {
	var l check.List
	was, is := before.Upgrade, p.Upgrade
	had := ptr.Value(before.Version)
	switch {
	case is == nil:
		l.Check("plan.version", p.without(before))
	case is.From == "" || is.To == "" || is.Action == "":
		return nil // not known yet
	case was == nil && had != "" && is.From != had:
		l.Add("plan.upgrade.from", "must be %s, the version that the data have by the program before, not %s", had, check.Quote(is.From))
	case was == nil:
	case was.Action == UpgradeFinish && (is.From != was.From || is.To != was.To):
		if is.From != was.To {
			l.Add("plan.upgrade.from", "must be %s, to which the data were upgraded, not %s", was.To, check.Quote(is.From))
		}
	case is.From != was.From:
		l.Add("plan.upgrade.from", "must stay %s, the version that the data have", was.From)
	}
	return l
}

// without is what is wrong with the version of a plan that upgrades nothing.
func (p Plan) without(before Plan) string {
	was, is := before.Version, p.Version
	switch up := before.Upgrade; {
	case up == nil && was != nil && is != nil && *was != "" && *is != "" && *was != *is:
		return fmt.Sprintf("must stay %s, not be %s: PostgreSQL does not start with data of another major version. For a major upgrade, give upgrade: {from: %q, checkOnly: true} with it: see docs/upgrade.md", *was, *is, *was)
	case up == nil || up.From == "" || up.To == "":
		return ""
	case up.Action == UpgradeRun && ptr.Value(is) != up.From: // else nodes are asked whether it was begun
		return fmt.Sprintf("must not be without upgrade yet: the upgrade from %s to %s is ended by upgrade.finish or upgrade.revert, in an update of its own. If it was never begun, give postgres.version: %q", up.From, up.To, up.From)
	case up.Action == UpgradeFinish && ptr.Value(is) != up.To:
		return fmt.Sprintf("must stay %s: the data are of that version", up.To)
	case up.Action != UpgradeFinish && ptr.Value(is) != up.From:
		return fmt.Sprintf("must be %s without upgrade: the data are of that version", up.From)
	}
	return ""
}
