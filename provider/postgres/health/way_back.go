package health

import (
	"context"
	"fmt"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// bereft are the nodes that a plan takes their data volume from.
type bereft []string

// noteBereft keeps them for the update of the plan, whose state does not have the plan of before.
func noteBereft(ctx context.Context, req p.DiffRequest) {
	was, is := req.OldInputs.Get("plan"), req.Inputs.Get("plan")
	if !was.IsMap() || !is.IsMap() {
		return
	}
	stored := func(plan property.Value, node string) guest.Stored {
		of := func(name string) string {
			if all := plan.AsMap().Get(name); all.IsMap() {
				return guard.Text(all.AsMap().Get(node))
			}
			return ""
		}
		return guest.Stored{Hash: of("data"), On: of("volumes")}
	}
	var names bereft
	for _, n := range nodesOf(req.Inputs.Get("nodes")) {
		if stored(was, n.Name).Loss(stored(is, n.Name)) != nil {
			names = append(names, n.Name)
		}
	}
	run.Note(ctx, string(req.Urn), func(now *bereft) { *now = names })
}

// keepsFormer refuses to take out the node that has the data of before an upgrade, which are the only way back, and to take
// its data volume from it.
func (a HealthArgs) keepsFormer(ctx context.Context, before HealthState) error {
	u := a.Plan.Upgrade
	if u == nil || u.Action == UpgradeFinish {
		return nil
	}
	left, _ := a.left(before)
	lose, _ := run.Noted[bereft](ctx, string(run.URN(ctx)))
	going := append(nodeNames(left), lose...)
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
