package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
)

// documents are what cloud-init reads, and of the state in them the generation
// and what restarts its services. steady, of an instance of OpenStack, is a hash of them
// that leaves out what matters no more once a machine runs.
type documents struct {
	user, meta, network, generation, steady string
	restarts                                map[string]string
}

// Planned is a machine that is rendered, and not made yet.
type Planned struct {
	machine.Spec

	Rebuilds pulumi.StringOutput // changes with whatever makes another machine of it
	Restarts func(service string) pulumi.StringOutput

	// Made is what was made for the machine: certificates and secrets.
	Made pulumi.StringMap

	// Cluster is the one that says what happens to the machine, by its name; "" for none.
	Cluster string

	name     string
	self     pulumi.Resource // the server
	grows    bool            // whether its data volume may grow while it runs
	children []pulumi.ResourceOption
	Builder  machine.Builder
	effects  func() (pulumi.StringMapInput, error)
	settings inputs.Settings
	restarts Restarts
	stored   *stored // what the machine keeps, nil for nothing
}

// plan says what the machine of a server is to be, whose children have these options.
// It is rendered in one go, once all of its inputs and what was made for it are there.
func (r Role[A, C]) plan(ctx *pulumi.Context, name string, children []pulumi.ResourceOption, in inputs.Inputs[A], made pulumi.StringMap) (Planned, error) {
	h := in.Args.serverArgs()
	fresh := sync.OnceValues(h.fresh) // the hash of a password takes long
	rebuild, kept, err := identify(ctx, name, children, in, fresh)
	if err != nil {
		return Planned{}, err
	}
	maps.Copy(kept, made)
	all := inputs.Render(in, kept, inputs.AllBut(notOnTheMachine...), func(made map[string]string) (any, error) {
		s, err := r.State(in.Args, made)
		if err != nil {
			return nil, err
		}
		f, err := fresh()
		if err != nil {
			return nil, err
		}
		d, err := h.documents(f, s, made)
		if err != nil || h.Backend().OpenStack == nil {
			return d, err
		}
		last, err := r.State(steady(in.Args), made)
		if err != nil {
			return nil, err
		}
		_, generation, err := last.Marshal()
		d.steady = guest.Hash(f.hash, generation)
		return d, err
	})
	builder := h.Backend().chosen().Builder(machine.Under(in, h.Backend().Input()))
	part := func(of func(documents) string) pulumi.StringOutput {
		return fault.Apply(all, func(v any) string { return of(v.(documents)) }).(pulumi.StringOutput)
	}
	p := Planned{
		name: name, children: children, Made: made, settings: in.Settings(),
		Spec: machine.Spec{
			Name:          in.RequiredString("name").ToStringOutput(),
			HasData:       r.HasData,
			UserData:      part(func(d documents) string { return d.user }),
			MetaData:      part(func(d documents) string { return d.meta }),
			NetworkConfig: part(func(d documents) string { return d.network }),
			// Short hashes of long secrets tell nothing, and name what the user sees.
			Content:     Unsecret(part(func(d documents) string { return guest.Hash(d.user, d.meta, d.network) })),
			Rebuild:     rebuild,
			SteadyState: Unsecret(part(func(d documents) string { return d.steady })),
			Generation:  Unsecret(part(func(d documents) string { return d.generation })),
		},
		Rebuilds: RebuildHash(in, h),
		Restarts: func(service string) pulumi.StringOutput {
			return Unsecret(part(func(d documents) string { return d.restarts[service] }))
		},
		Builder: builder,
		effects: func() (pulumi.StringMapInput, error) {
			return effects(in, h.name(), fresh, builder, made, func(made map[string]string) (guest.State, error) {
				if h.Backend().OpenStack != nil {
					return r.State(steady(in.Args), made) // the rest changes nothing there
				}
				return r.State(in.Args, made)
			})
		},
	}
	if h.Backend().OpenStack != nil {
		p.Rebuilds = pulumi.Sprintf("%s-%s", p.Rebuilds, p.SteadyState)
	}
	if r.HasData {
		p.stored = &stored{data: DataHash(in, h), volume: Holds(in, h), allowed: in.Bool("allowDataLoss")}
		if h.Backend().chosen().Data(h.name(), "") == "" {
			p.stored.data = p.Rebuilds
		}
	}
	if c := h.Libvirt; c != nil {
		_, size := c.Sizeless(machine.Under(in, "libvirt"))
		p.grows = size > 0
	}
	if r.Addresses != nil {
		p.Addresses = r.Addresses(in)
	}
	if r.Restarts != nil {
		p.restarts = r.Restarts(in)
	}
	if r.Follows != nil {
		p.settings = p.settings.With(r.Follows(in))
	}
	return p, nil
}

// steady are args without what a machine reads when it comes to be, and never
// again.
func steady[A any](args A) A {
	if some, has := any(args).(interface{ SteadyState() A }); has {
		return some.SteadyState()
	}
	return args
}

// CustomResource is a custom resource of a component whose outputs nobody reads.
type CustomResource struct{ pulumi.CustomResourceState }

// make registers the machine, which changes only after what comes before it, and what
// says in previews what happens to it.
func (p Planned) make(ctx *pulumi.Context, before ...pulumi.Resource) (machine.Machine, error) {
	if guard, err := p.guardData(ctx); err != nil || guard != nil {
		if err != nil {
			return machine.Machine{}, err
		}
		before = append(before[:len(before):len(before)], guard)
	}
	opts := append(p.children[:len(p.children):len(p.children)], pulumi.DependsOn(before))
	var err error
	if p.DataHooks, err = p.tellGrowth(ctx); err != nil {
		return machine.Machine{}, err
	}
	m, err := fault.Apart(func() (machine.Machine, error) { return p.Builder.Make(ctx, p.name, p.Spec, opts...) })
	if err != nil {
		return m, err
	}
	said, err := p.effects()
	if err != nil {
		return m, err
	}
	// After the machine: what did not come about is said again.
	change := &CustomResource{}
	m.Last = []pulumi.Resource{m.Resource, change}
	return m, ctx.RegisterResource("quorum:index:MachineChange", p.name, p.change(m, said), change,
		append(opts[:len(opts):len(opts)], pulumi.Version(version.String()), pulumi.DependsOn([]pulumi.Resource{m.Resource}))...)
}

// notOnTheMachine are inputs that no document depends on: those that backends say, and
// the key that certificates are signed with.
var notOnTheMachine = slices.Concat([]string{"ca", "allowDataLoss"}, allUnder("libvirt", libvirt.NotOnTheMachine), allUnder("openstack", openstack.NotOnTheMachine))

// onFreshMachines are the inputs that only a fresh machine takes up.
var onFreshMachines = slices.Concat(
	[]string{"name", "sshAdminUser", "sshAdminPublicKey", "adminUserPassword"}, allUnder("libvirt", libvirt.OnFreshMachines),
)

func allUnder(path string, below []string) (all []string) {
	for _, input := range below {
		all = append(all, check.Join(path, input))
	}
	return all
}

// fresh is what only a fresh machine takes up: all but the state. The hash
// names it.
type fresh struct {
	user          cloudinit.UserData
	network, hash string

	// lasting is the hash without what reaches a machine that runs, and resolvers are its DNS servers. Both are
	// "" where nothing does.
	lasting, resolvers string
}

func (a ServerArgs) fresh() (f fresh, err error) {
	if f.user, err = host.UserData(a.name(), a.admin()); err != nil {
		return f, err
	}
	text, err := f.user.Marshal()
	if err != nil {
		return f, err
	}
	f.network, err = a.Backend().chosen().NetworkConfig(a.name())
	f.hash = guest.Hash(text, f.network)
	if err != nil || !a.isHandedMore() {
		return f, err
	}
	return a.withLasting(f)
}

func (a ServerArgs) documents(f fresh, s guest.State, made map[string]string) (d documents, err error) {
	user, identity := f.user, f.hash
	d.network, d.restarts = f.network, s.Restarts()
	if f.lasting != "" {
		identity = a.handMore(&s, f, made)
	}
	if d.meta, err = cloudinit.MetaData(a.name()+"-"+identity, a.name()); err != nil {
		return d, err
	}
	if d.generation, err = host.Deliver(s, &user); err != nil {
		return d, err
	}
	d.user, err = user.Marshal()
	return d, err
}

func Unsecret(s pulumi.StringOutput) pulumi.StringOutput {
	return pulumi.Unsecret(s).(pulumi.StringOutput)
}

// Absent is an output that is absent.
func Absent() pulumi.StringPtrOutput {
	return fault.Apply(pulumi.String("").ToStringOutput(), func(string) *string { return nil }).(pulumi.StringPtrOutput)
}
