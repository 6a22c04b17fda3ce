package inputs

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// warnings tell which unknown inputs make a preview incomplete, which certificates end soon,
// and what the inputs themselves warn of.
func (in Inputs[A]) warnings(now time.Time) (all []string) {
	if len(in.decisive) > 0 {
		all = append(all, "not known before the update: "+strings.Join(in.decisive, ", ")+
			". This input decides which resources there are: this preview may lack some, or show some as created or deleted that the update leaves unchanged")
	}
	all = append(all, check.Ends(now, in.Args)...)
	if args, is := any(in.Args).(Warned); is {
		known := slices.DeleteFunc(check.List(args.Warnings()), func(w check.Problem) bool { return doubtful(w, in.unknown) })
		for _, warning := range in.secrets.redactAll(in.from.written(known)) {
			all = append(all, warning.String())
		}
	}
	return all
}

// AmongOthers is a struct of inputs of a component that warns by what other components of the program have.
type AmongOthers interface {
	WarningsInProgram(ctx context.Context, self urn.URN) []check.Problem
}

// warningsInProgram are these warnings.
func (in Inputs[A]) warningsInProgram(ctx context.Context, self urn.URN) (all []string) {
	if args, is := any(in.Args).(AmongOthers); is {
		for _, warning := range in.secrets.redactAll(in.from.written(args.WarningsInProgram(ctx, self))) {
			all = append(all, warning.String())
		}
	}
	return all
}

// Safe are warnings without what is secret in them.
func (in Inputs[A]) Safe(warnings check.List) check.List { return in.secrets.redactAll(warnings) }
