package server

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
)

// effects are what a change may do to a machine, in words, each with a text
// that changes when it does. The state of the machine has marks in place of
// what was made for it, so that a preview can tell what a certificate that is
// being renewed does, and a plain text as it is.
func effects[A any](
	in inputs.Inputs[A], name string, fresh func() (fresh, error), on machine.Builder, made pulumi.StringMap,
	render func(made map[string]string) (guest.State, error),
) (pulumi.StringMapInput, error) {
	texts := func(made map[string]string) (map[string]string, error) {
		f, err := fresh()
		if err != nil {
			return nil, err
		}
		s, err := render(made)
		if err != nil {
			return nil, err
		}
		all := on.Effects(name)
		all[guest.Anew] = f.anew(all[guest.Anew])
		if f.lasting != "" {
			all[guest.LoginChange], all[guest.ResolversChange] = f.user.Users[0].SSHAuthorizedKeys[0], f.resolvers
		}
		if why := on.ImmutableReason(); why != "" {
			all[guest.Anew+", as with any change of its configuration: "+why], _, err = s.Marshal()
			return all, err
		}
		maps.Copy(all, s.Effects())
		return all, nil
	}
	if !in.Complete() {
		whole := inputs.Render(in, made, inputs.AllBut(), func(made map[string]string) (any, error) { return texts(made) })
		return fault.Apply(whole, func(v any) map[string]string { return v.(map[string]string) }).(pulumi.StringMapOutput), nil
	}
	marks, stands := map[string]string{}, map[string]string{}
	for name, value := range made {
		if plain, is := value.(pulumi.String); is { // by which the state is decided
			stands[name] = string(plain)
			continue
		}
		marks[name] = "made-" + name + "-here"
		stands[name] = marks[name]
	}
	found, err := texts(stands)
	all := pulumi.StringMap{}
	for effect, text := range found {
		if guest.IsSized(text) || guest.IsDated(text) { // of hashes
			all[effect] = pulumi.ToSecret(pulumi.String(text)).(pulumi.StringOutput)
			continue
		}
		parts := pulumi.StringArray{pulumi.String(text)}
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			if strings.Contains(text, marks[name]) {
				parts = append(parts, made[name])
			}
		}
		hash := fault.Apply(parts.ToStringArrayOutput(), func(parts []string) string { return guest.Hash(parts...) })
		all[effect] = pulumi.ToSecret(hash).(pulumi.StringOutput) // of what may be short, as a password
	}
	return all, err
}
