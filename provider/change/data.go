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

// InputsOnly says that nobody reads it.
func (Data) InputsOnly() {}

// Validate finds nothing wrong.
func (DataArgs) Validate() []check.Problem { return nil }

// ValidateChange refuses what the program has not allowed.
func (a DataArgs) ValidateChange(before DataArgs) []check.Problem {
	var l check.List
	if loss := before.stored().Loss(a.stored()); loss != nil && !ptr.Value(a.AllowDataLoss) {
		l.Add("data", "this change %s: no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true%s",
			loss.Of(a.Machine), loss.Or)
	}
	return l
}

// Create keeps what there is.
func (Data) Create(_ context.Context, req infer.CreateRequest[DataArgs]) (infer.CreateResponse[DataState], error) {
	return infer.CreateResponse[DataState]{ID: req.Name, Output: DataState{req.Inputs}}, nil
}

// Update warns of what the program has allowed: before it is done, also in an update.
func (Data) Update(ctx context.Context, req infer.UpdateRequest[DataArgs, DataState]) (infer.UpdateResponse[DataState], error) {
	if loss := req.State.stored().Loss(req.Inputs.stored()); loss != nil {
		p.GetLogger(ctx).Warning(lossOf([]string{req.Inputs.Machine}, []guest.Loss{*loss}, " and no other machine is known to have them", true))
	}
	return infer.UpdateResponse[DataState]{Output: DataState{req.Inputs}}, nil
}

// Hides hashes of where the data lie: the warning tells what becomes of them.
func (Data) Hides(_ urn.URN, path string) bool { return path == "data" }

func (a DataArgs) stored() guest.Stored { return guest.Stored{Hash: a.Data, On: a.Volume} }

// losses warn of machines of the cluster that lose their data.
func (a ClusterArgs) losses(before ClusterArgs, happening machines, when tense) string {
	var names []string
	var losses []guest.Loss
	or, again := "", false
	for _, name := range a.Members {
		if loss := happening[name].loss; loss != nil {
			names, losses, or = append(names, name), append(losses, *loss), cmp.Or(or, loss.Or)
			again = again || loss.Again
		}
	}
	if len(losses) == 0 {
		return ""
	}
	follows := " and each gets them back from the others before the next one changes"
	switch allowed := a.Settings["allowDataLoss"] == "true"; {
	case len(a.Members) == 1 && !allowed && bool(when): // a change of inputs is refused in the preview
		follows = " and no other machine has them: where --replace names it, the update refuses that without allowDataLoss: true"
	case len(a.Members) == 1:
		follows = " and no other machine has them: the cluster starts again empty"
	case len(a.Members) == 2 && a.Service == etcdService && bool(when):
		follows = " and a cluster of two members has no quorum without both: where --replace names it, the update refuses that"
	case again && bool(when):
		follows += a.whereGone(before, names)
	}
	return lossOf(names, losses, follows, when) + or
}

// whereGone says what else follows where volumes are made again: that --replace names them is not told from that they are
// gone already, all at once.
func (a ClusterArgs) whereGone(before ClusterArgs, lost []string) string {
	from, left := a.Settings["recoverFrom"], len(a.Members)-len(lost)
	const instead = ". That is so where --replace names them. Where they are gone already, "
	const noQuorum = instead + "the cluster has no quorum: the update says which members have data, and stops. "
	switch {
	case a.Service == etcdService && left >= len(a.Members)/2+1, a.Service != etcdService && left > 0:
		return ""
	case left == 0 && a.settings().has("restore"):
		return instead + "none has them: see what is said here of restore"
	case a.Service != etcdService:
		return instead + "no other machine has them: the update waits in vain for a node that leads"
	case left == 0:
		return instead + "no other machine has them: the members found an empty cluster, and the update stops. With restore they found it from a snapshot"
	case from != "" && from == before.Settings["recoverFrom"]:
		return noQuorum + "recoverFrom, removed and set again, re-creates it from one of these"
	case from != "" && !slices.Contains(lost, from):
		return instead + "each gets what " + from + " has"
	}
	return noQuorum + "On libvirt, recoverFrom re-creates it from one of these"
}

// lossOf says which machines lose their data, and what follows.
func lossOf(machines []string, losses []guest.Loss, follows string, when tense) string {
	var those []string
	left, again := 0, false
	for i, loss := range losses {
		again = again || loss.Again
		those = append(those, machines[i]+check.On(loss.On))
		if loss.Stays() {
			left++
		}
	}
	does := "deleted or left behind"
	switch {
	case again: // they may be gone already, but for what a machine that still runs has of them
		does = "lost"
	case left == 0:
		does = "deleted"
	case left == len(losses):
		does = "left behind"
	}
	return "data are " + does + when.of(" by this update", "") + ": those of " + strings.Join(those, "; of ") + "," + follows
}
