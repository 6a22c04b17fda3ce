package change

import (
	"context"
	"maps"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// Identity keeps apart what makes another machine of one, and what reaches it while it runs: its SSH key and
// its DNS servers, which cloud-init reads only when the machine comes to be.
type Identity struct{}

// IdentityArgs are the inputs of an Identity.
type IdentityArgs struct {
	Hash      string `pulumi:"hash"`
	Formerly  string `pulumi:"formerly"`
	Login     string `pulumi:"login"`
	Resolvers string `pulumi:"resolvers"`
}

// IdentityState is what is kept of an Identity. Identities are those by the hashes that were: of a change that is
// taken back before the machine was made anew, the machine that is there is the one of before.
type IdentityState struct {
	IdentityArgs

	Identity         string            `pulumi:"identity"`
	Identities       map[string]string `pulumi:"identities"`
	FormerLogins     []string          `pulumi:"formerLogins"`
	ResolversChanged bool              `pulumi:"resolversChanged"`
}

var (
	_ infer.CustomResource[IdentityArgs, IdentityState]       = Identity{}
	_ infer.CustomUpdate[IdentityArgs, IdentityState]         = Identity{}
	_ infer.ExplicitDependencies[IdentityArgs, IdentityState] = Identity{}
)

// Validate finds nothing wrong.
func (IdentityArgs) Validate() []check.Problem { return nil }

// Create has the machine be as earlier releases made it, which named it by all of it.
func (Identity) Create(_ context.Context, req infer.CreateRequest[IdentityArgs]) (infer.CreateResponse[IdentityState], error) {
	return infer.CreateResponse[IdentityState]{ID: req.Name, Output: req.Inputs.after(IdentityState{})}, nil
}

// Update leaves the machine the one it is, unless its hash is another.
func (Identity) Update(_ context.Context, req infer.UpdateRequest[IdentityArgs, IdentityState]) (infer.UpdateResponse[IdentityState], error) {
	return infer.UpdateResponse[IdentityState]{Output: req.Inputs.after(req.State)}, nil
}

// WireDependencies makes previews know what they can: of what is not known yet, there is nothing.
func (Identity) WireDependencies(f infer.FieldSelector, a *IdentityArgs, s *IdentityState) {
	if s.Identity != "" {
		f.OutputField(&s.Identity).AlwaysKnown()
		f.OutputField(&s.Identities).AlwaysKnown()
	}
	if a.Login != "" {
		f.OutputField(&s.FormerLogins).AlwaysKnown()
	}
	if a.Resolvers != "" {
		f.OutputField(&s.ResolversChanged).AlwaysKnown()
	}
}

// Hides all: effects tell it.
func (Identity) Hides(urn.URN, string) bool { return true }

// after is the state that follows another one.
func (a IdentityArgs) after(before IdentityState) IdentityState {
	s := IdentityState{a, a.Formerly, map[string]string{}, append([]string{}, before.FormerLogins...), before.ResolversChanged}
	maps.Copy(s.Identities, before.Identities)
	if known, has := s.Identities[a.Hash]; has {
		s.Identity = known
	} else if a.Hash != "" && a.Formerly != "" {
		s.Identities[a.Hash] = a.Formerly
	} else {
		s.Identity = ""
	}
	s.FormerLogins = host.FormerLogins(s.FormerLogins, before.Login, a.Login)
	s.ResolversChanged = s.ResolversChanged || before.Hash != "" && before.Resolvers != a.Resolvers
	return s
}
