package server

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// isHandedMore reports whether a machine that runs is handed another SSH key and other DNS servers: its drive can be
// swapped.
func (a ServerArgs) isHandedMore() bool {
	return a.Libvirt != nil && a.Libvirt.CloudInitVolumeName == nil
}

// lasting is a without what a machine that runs is handed.
func (a ServerArgs) lasting() ServerArgs {
	if !a.isHandedMore() {
		return a
	}
	c := a.Libvirt.Lasting()
	a.SSHAdminPublicKey, a.Libvirt = "", &c
	return a
}

// text is what of makes of the machine, for [guest.HashOf].
func (a ServerArgs) text(in machine.Inputs, of func(ServerArgs) string) string {
	whole, size := of(a), 0
	if a.Libvirt == nil {
		return whole
	}
	a = a.lasting()
	c := *a.Libvirt
	c, size = c.Sizeless(in)
	a.Libvirt = &c
	part := of(a)
	if part == whole {
		return whole
	}
	return guest.Sized(guest.Hash(part), size, guest.Hash(whole))
}

// withLasting adds to f the hash without what a machine that runs is handed.
func (a ServerArgs) withLasting(f fresh) (fresh, error) {
	user := f.user
	user.Users = slices.Clone(user.Users)
	user.Users[0].SSHAuthorizedKeys = nil
	text, err := user.Marshal()
	if err != nil {
		return f, err
	}
	network, err := a.lasting().Libvirt.NetworkConfig(a.name())
	f.lasting, f.resolvers = guest.Hash(text, network), a.Libvirt.Resolvers(a.name())
	return f, err
}

// anew is the text of [guest.Anew], which is that of the backend with what only a fresh machine takes up.
func (f fresh) anew(backend string) string {
	if f.lasting == "" {
		return backend + f.hash
	}
	return guest.Sized(guest.Hash(backend+f.lasting), 0, guest.Hash(backend+f.hash))
}

// What is known of a machine beside what is made for it.
const (
	identity         = "identity"
	login            = "login"
	formerLogins     = "formerLogins"
	resolvers        = "resolvers"
	resolversChanged = "resolversChanged"
)

// identify gives what changes with what only a fresh machine takes up. Of a machine that is handed more while it
// runs a resource knows what it was made with, and what it has been handed since.
func identify[A hasServerArgs](
	ctx *pulumi.Context, name string, children []pulumi.ResourceOption, in inputs.Inputs[A], read func() (fresh, error),
) (rebuild pulumi.StringOutput, known pulumi.StringMap, err error) {
	of := func(part inputs.Part, text func(f fresh) string) pulumi.StringOutput {
		return HashOf(in, part, func() (string, error) {
			f, err := read()
			return text(f), err
		})
	}
	all := inputs.Only(onFreshMachines...)
	whole := of(all, func(f fresh) string { return f.hash })
	if !in.Args.serverArgs().isHandedMore() {
		return whole, pulumi.StringMap{}, nil
	}
	lasting := func(path string) bool {
		return all(path) && path != "sshAdminPublicKey" && !strings.Contains(path, "dnsServers")
	}
	kept := &quorum.MachineIdentity{}
	args := quorum.MachineIdentityArgs{
		Hash: of(lasting, func(f fresh) string { return f.lasting }), Formerly: whole, Login: in.RequiredString("sshAdminPublicKey"),
		Resolvers: of(inputs.Only("name", "libvirt.networks", "libvirt.macvtapInterfaces"), func(f fresh) string { return f.resolvers }),
	}
	opts := append(children[:len(children):len(children)], pulumi.Version(version.String()))
	if err := ctx.RegisterResource("quorum:index:MachineIdentity", name, args, kept, opts...); err != nil {
		return whole, nil, err
	}
	return Unsecret(kept.Identity), pulumi.StringMap{
		identity: kept.Identity, login: kept.Login, resolvers: kept.Resolvers,
		formerLogins:     fault.Apply(kept.FormerLogins, func(all []string) string { return strings.Join(all, "\n") }).(pulumi.StringOutput),
		resolversChanged: fault.Apply(kept.ResolversChanged, func(yes bool) string { return strconv.FormatBool(yes) }).(pulumi.StringOutput),
	}, nil
}

// handMore adds to s what the machine is handed since it was made, and gives what it was made as. An update with
// --target may leave what is known as it was.
func (a ServerArgs) handMore(s *guest.State, f fresh, known map[string]string) string {
	former := host.FormerLogins(strings.Fields(known[formerLogins]), known[login], a.SSHAdminPublicKey)
	var more []guest.State
	if len(former) > 0 {
		more = append(more, host.Login(a.admin(), former))
	}
	if known[resolversChanged] == "true" || known[resolvers] != f.resolvers {
		more = append(more, host.Resolvers(f.resolvers))
	}
	host.AfterExporter(s, more...)
	return known[identity]
}
