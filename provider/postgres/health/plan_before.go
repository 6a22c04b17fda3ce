package health

import (
	"context"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// planBefore is what the update of a plan has to know of the one before, which its state does not have.
type planBefore struct {
	Plan
	endsUpgrade bool // the upgrade is taken out
}

// notePlanBefore keeps it, when the engine asks what changes.
func notePlanBefore(ctx context.Context, req p.DiffRequest) {
	was, is := req.OldInputs.Get("plan"), req.Inputs.Get("plan")
	if !was.IsMap() || !is.IsMap() {
		return
	}
	before := planBefore{Plan: Plan{Data: textsIn(was.AsMap().Get("data")), Volumes: textsIn(was.AsMap().Get("volumes"))}}
	if u := was.AsMap().Get("upgrade"); u.IsMap() {
		of := textsIn(u)
		before.Upgrade = &Upgrade{From: of["from"], To: of["to"], Action: UpgradeAction(of["action"])}
		before.endsUpgrade = is.AsMap().Get("upgrade").IsNull()
	}
	run.Note(ctx, string(req.Urn), func(now *planBefore) { *now = before })
}

// planOfBefore is what was noted for this resource.
func planOfBefore(ctx context.Context) planBefore {
	before, _ := run.Noted[planBefore](ctx, string(run.URN(ctx)))
	return before
}

// textsIn are the texts of a map, by their keys.
func textsIn(v property.Value) map[string]string {
	all := map[string]string{}
	if v.IsMap() {
		for key, each := range v.AsMap().All {
			all[key] = guard.Text(each)
		}
	}
	return all
}
