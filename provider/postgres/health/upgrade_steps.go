package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// stepsOn refuses a step that does not follow from where the nodes are, before anything has it. A plan that had it would say of
// the data what is not so, and the next one be judged by that.
func (a HealthArgs) stepsOn(ctx context.Context, before HealthState, preview bool) error {
	u, was := a.Plan.Upgrade, planOfBefore(ctx).Upgrade
	if u == nil || u.From == "" || u.To == "" || u.Action == "" || was != nil && u.same(*was) {
		return nil
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return nil //nolint:nilerr // in a preview certificates may be unknown
	}
	now, _, err := c.upgrade(ctx, before.Nodes)
	switch begins := was == nil && (u.Action == UpgradeCheck || u.Action == UpgradeRun); {
	case err == nil:
		err = u.refused(now, c.major(ctx, before.Nodes))
	case preview || begins:
		return nil
	default:
		err = fmt.Errorf("no node says how far the upgrade from %s to %s is: %w", u.From, u.To, err)
	}
	if err != nil {
		return fmt.Errorf("upgrade: %w", err)
	}
	return nil
}

// same reports whether both ask nodes for the same.
func (u Upgrade) same(other Upgrade) bool {
	return u.From == other.From && u.To == other.To && u.Action == other.Action
}

// refused is why nodes are not asked for u where they are. major is the version that leads, if somebody says it: after the
// restore of a backup of before it is the former one again.
func (u Upgrade) refused(now marker, major string) error {
	made := u.wasMade(now) && major != u.From
	finished := u.stage(now) == stageFinished
	switch begins := u.Action == UpgradeCheck || u.Action == UpgradeRun; {
	case !now.rests() && now.is(u):
		return nil // perhaps of an update that was killed
	case !now.rests() && !u.givesUp(now):
		return fmt.Errorf("another upgrade of the cluster is under way: %s from %s to %s, %s. Have the program as it was when that began, until it is done", now.Action, now.From, now.To, now.Stage)
	case begins && !u.wasMade(now) && major != "" && major != u.From:
		return fmt.Errorf("upgrade.from must be %s, the version that the data have, not %s", major, u.From)
	case begins && u.stage(now) == stageReverted && now.ByHand:
		return fmt.Errorf("PostgreSQL was brought back to %s by hand, on a node. Have the program say so, with upgrade.revert: else it would be upgraded again", u.From)
	case u.Action == UpgradeRun && made && finished:
		return fmt.Errorf("upgrade.finish must stay on: the data of PostgreSQL %s are deleted, and there is no way back. Take upgrade out instead", u.From)
	case u.Action == UpgradeCheck && made:
		return fmt.Errorf("the data are of PostgreSQL %s already: there is nothing to check. Go on with upgrade.finish, or back with upgrade.revert", u.To)
	case u.Action == UpgradeRevert && finished:
		return fmt.Errorf("there is nothing to go back to: the data of PostgreSQL %s are deleted. Only a backup leads back", u.From)
	case u.Action == UpgradeFinish && !made:
		return fmt.Errorf("there is nothing to finish: no upgrade from %s to %s was made", u.From, u.To)
	}
	return nil
}

// stage is how far nodes are with what u is about.
func (u Upgrade) stage(now marker) string {
	if !now.isOf(u) {
		return ""
	}
	return now.Stage
}

func (u Upgrade) wasMade(now marker) bool {
	return slices.Contains([]string{stageDone, stageFinished}, u.stage(now))
}

// asks reports whether nodes are asked for u where they are, if that is not refused.
func (u Upgrade) asks(now marker, major string) bool {
	switch stage := u.stage(now); u.Action {
	case UpgradeCheck, UpgradeRun:
		return !u.wasMade(now) || major == u.From
	case UpgradeRevert:
		return u.givesUp(now) || stage == stageDone || stage == stageReverted && now.ByHand // so that the program may ask for an upgrade again
	default:
		return stage == stageDone
	}
}

// givesUp reports whether this has the nodes give up what has stopped nothing yet.
func (u Upgrade) givesUp(now marker) bool {
	return u.Action == UpgradeRevert && slices.Contains([]string{"ordered", "checking"}, u.stage(now))
}

// tooEarly is why a program cannot be without an upgrade of which nodes are there. Its version is then that of the data.
func (u Upgrade) tooEarly(now marker, version string) error {
	if begun := now.begun(u); begun != "" {
		return fmt.Errorf("the upgrade from %s to %s is %s. It is ended by upgrade.finish or upgrade.revert, in an update of its own", u.From, u.To, begun)
	}
	if u.stage(now) == stageFinished && version != "" && version != u.To {
		return errors.New("postgres.version must be " + u.To + ", which the data are of by now")
	}
	return nil
}
