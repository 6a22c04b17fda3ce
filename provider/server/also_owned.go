package server

import (
	"context"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// owners are what the components of a program have for themselves, as far as they have been read.
type owners []owner

type owner struct {
	check.Owned

	urn urn.URN
}

// nouns are what a machine has for itself.
var nouns = map[check.Kind]string{
	check.Addresses: "an address", check.Cards: "a MAC address", check.Disks: "a volume", check.Drives: "a cloud-init drive", check.Ports: "a port",
}

// AlsoOwned warns of what another component of the program has for itself, too: the one that is read second says it. It
// is no refusal, since networks that have nothing to do with each other may have the same addresses.
func AlsoOwned(ctx context.Context, self urn.URN, owned []check.Owned) (warnings check.List) {
	running.Note(ctx, "owned", func(all *owners) {
		others := slices.DeleteFunc(slices.Clone(*all), func(o owner) bool { return o.urn == self })
		*all = slices.Clone(others)
		for _, mine := range owned {
			if mine.Value == "" { // or it is not known yet
				continue
			}
			*all = append(*all, owner{mine, self})
			at := slices.IndexFunc(others, func(o owner) bool { return mine.Conflicts(o.Owned) })
			if at < 0 {
				continue
			}
			token := strings.Replace(string(others[at].urn.Type()), ":index:", ":", 1)
			unless := ""
			switch mine.Kind {
			case check.Addresses, check.Cards:
				unless = ", unless their networks have nothing to do with each other"
			case check.Disks, check.Drives:
				unless = ", unless they are on two hypervisors"
			}
			warnings.Add(mine.Path, "%s is %s of %s %q, too: only one may have it%s", check.Quote(mine.Value), nouns[mine.Kind], token, others[at].urn.Name(), unless).Needing(mine.Needs...)
		}
	})
	return warnings
}

// WarningsInProgram are of what other components of the program have, too.
func (h ServerArgs) WarningsInProgram(ctx context.Context, self urn.URN) []check.Problem {
	return AlsoOwned(ctx, self, h.Backend().Owned(""))
}
