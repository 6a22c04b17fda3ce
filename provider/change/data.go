package change

import (
	"cmp"
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Data refuses that a machine outside of a cluster loses its data.
type Data struct{}

// DataArgs are the inputs of a Data.
type DataArgs struct {
	Machine       string `pulumi:"machine"`
	Data          string `pulumi:"data"`
	Volume        string `pulumi:"volume"`
	AllowDataLoss *bool  `pulumi:"allowDataLoss,optional"`
}

// DataState is what is kept of a Data.
type DataState struct{ DataArgs }

var (
	_ infer.CustomResource[DataArgs, DataState] = Data{}
	_ infer.CustomUpdate[DataArgs, DataState]   = Data{}
)

// Validate finds nothing wrong.
func (DataArgs) Validate() []check.Problem { return nil }

// ValidateChange refuses what the program has not allowed.
func (a DataArgs) ValidateChange(before DataArgs) []check.Problem {
	var l check.List
	if on := lost(&before.Data, &a.Data, &before.Volume, &a.Volume); on != "" && !ptr.Value(a.AllowDataLoss) {
		l.Add("data", "this change %s: no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true%s",
			check.Loses(a.Machine, on), guest.OrGrowth(before.Data, a.Data, before.Volume, a.Volume))
	}
	return l
}

// Create keeps what there is.
func (Data) Create(_ context.Context, req infer.CreateRequest[DataArgs]) (infer.CreateResponse[DataState], error) {
	return infer.CreateResponse[DataState]{ID: req.Name, Output: DataState{req.Inputs}}, nil
}

// Update warns of what the program has allowed: before it is done, also in an update.
func (Data) Update(ctx context.Context, req infer.UpdateRequest[DataArgs, DataState]) (infer.UpdateResponse[DataState], error) {
	if on := lost(&req.State.Data, &req.Inputs.Data, &req.State.Volume, &req.Inputs.Volume); on != "" {
		p.GetLogger(ctx).Warning(lossOf([]string{req.Inputs.Machine + check.On(on)}, " and no other machine is known to have them", true))
	}
	return infer.UpdateResponse[DataState]{Output: DataState{req.Inputs}}, nil
}

// Hides hashes of where the data lie: the warning tells what becomes of them.
func (Data) Hides(_ urn.URN, path string) bool { return path == "data" }

// lost is where the data of a machine are left, in words, if a change costs them. States of
// earlier versions do not say where they lie, and a preview may not know it.
func lost(before, now, volume, next *string) string {
	if was, is := ptr.Value(before), ptr.Value(now); was == "" || is == "" || guest.Unchanged(was, is) {
		return ""
	}
	if on := ptr.Value(volume); on != "" {
		return check.Left(on, ptr.Value(next))
	}
	return "where it is not known"
}

// losses warn of machines of the cluster that lose their data.
func (a ClusterArgs) losses(happening machines, when tense) string {
	var all []string
	or := ""
	for _, name := range a.Members {
		if on := happening[name].lost; on != "" {
			all, or = append(all, name+check.On(on)), cmp.Or(or, happening[name].or)
		}
	}
	if len(all) == 0 {
		return ""
	}
	follows := " and each gets them back from the others before the next one changes"
	if len(a.Members) == 1 {
		follows = " and no other machine has them: the cluster starts again empty"
	}
	return lossOf(all, follows, when) + or
}

// lossOf says which machines lose their data, and what follows.
func lossOf(machines []string, follows string, when tense) string {
	does, left := "deleted", len(slices.DeleteFunc(slices.Clone(machines), func(on string) bool { return !check.Stays(strings.TrimSuffix(on, ")")) }))
	switch left {
	case 0:
	case len(machines):
		does = "left behind"
	default:
		does = "deleted or left behind"
	}
	return "data are " + does + when.of(" by this update", "") + ": those of " + strings.Join(machines, "; of ") + "," + follows
}
