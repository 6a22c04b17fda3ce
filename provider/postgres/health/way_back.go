package health

import (
	"context"
	"fmt"
	"slices"
)

// keepsFormer refuses to take out the node that has the data of before an upgrade, which are the only way back, and to take
// its data volume from it.
func (a HealthArgs) keepsFormer(ctx context.Context, before HealthState) error {
	u := a.Plan.Upgrade
	if u == nil || u.Action == UpgradeFinish {
		return nil
	}
	left, _ := a.left(before)
	going, was := nodeNames(left), planOfBefore(ctx)
	for _, name := range nodeNames(a.Nodes) {
		if was.stored(name).Loss(a.Plan.stored(name)) != nil {
			going = append(going, name)
		}
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil || len(going) == 0 {
		return nil // in a preview certificates may be unknown
	}
	if err := c.hasFormer(ctx, before.Nodes, going); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return nil
}

// hasFormer is an error if one of the nodes that go, or lose their data, has those of before an upgrade.
func (c client) hasFormer(ctx context.Context, nodes []Node, going []string) error {
	now, _, err := c.upgrade(ctx, nodes)
	if err == nil && (now.Stage == stageDone || now.Stage == "replicas") && slices.Contains(going, now.Keeper) {
		return fmt.Errorf("must keep %s, and its data volume, which has the data of PostgreSQL %s: they are the way back. First end the upgrade with upgrade.finish, in an update of its own", now.Keeper, now.From)
	}
	return nil
}
