package server

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
)

// Role is what distinguishes the servers of one type, with inputs A, from those of another.
type Role[A hasServerArgs, C pulumi.ComponentResource] struct {
	Token string
	// HasData is that its machines keep data, and should have a volume for them.
	HasData bool
	// Certificates makes those of a server, nil for none.
	Certificates func(*pulumi.Context, string, inputs.Inputs[A], []pulumi.ResourceOption) (pulumi.StringMap, error)
	// State is what a machine is to be, of the inputs and what was made for it.
	State func(args A, made map[string]string) (guest.State, error)
	// Addresses are those that a machine may have beside its own, nil for none.
	Addresses func(in inputs.Inputs[A]) pulumi.StringArray
	// Restarts are the settings that wait for a restart of what the machine runs, nil for none.
	Restarts func(in inputs.Inputs[A]) Restarts
	// Follows is what follows from the inputs, by which previews tell what a change of these means; nil for nothing.
	Follows func(in inputs.Inputs[A]) map[string]string
	// Outputs sets those of a server.
	Outputs func(c C, in inputs.Inputs[A], made pulumi.StringMap, m machine.Machine)
}

// hasServerArgs is of inputs that embed ServerArgs.
type hasServerArgs interface{ serverArgs() ServerArgs }

func (a ServerArgs) serverArgs() ServerArgs { return a }

// New registers a server, and makes its machine.
func (r Role[A, C]) New(ctx *pulumi.Context, name string, c C, in inputs.Inputs[A], opts []pulumi.ResourceOption) (made C, err error) {
	p, err := r.Plan(ctx, name, c, in, nil, opts)
	if err != nil {
		return made, err
	}
	return p.Make(ctx)
}

// Server is one that is registered, and whose machine is planned and not made yet.
type Server[A hasServerArgs, C pulumi.ComponentResource] struct {
	Planned

	role      Role[A, C]
	component C
	in        inputs.Inputs[A]
}

// Plan registers a server, and plans its machine: with its certificates, and with secrets
// that were made for it.
func (r Role[A, C]) Plan(
	ctx *pulumi.Context, name string, c C, in inputs.Inputs[A], secrets pulumi.StringMap, opts []pulumi.ResourceOption,
) (*Server[A, C], error) {
	children, err := Register(ctx, r.Token, name, c, opts)
	if err != nil {
		return nil, err
	}
	made := pulumi.StringMap{}
	if r.Certificates != nil {
		if made, err = fault.Apart(func() (pulumi.StringMap, error) { return r.Certificates(ctx, name, in, children) }); err != nil {
			return nil, err
		}
	}
	maps.Copy(made, secrets)
	if r.HasData {
		err = warnOfDisk(ctx, in, in.Args.serverArgs().Backend(), c)
	}
	if err != nil {
		return nil, err
	}
	planned, err := r.plan(ctx, name, children, in, made)
	planned.self = c
	return &Server[A, C]{planned, r, c, in}, err
}

// Make makes the machine, which changes only after what comes before it.
func (s *Server[A, C]) Make(ctx *pulumi.Context, before ...pulumi.Resource) (made C, err error) {
	m, err := s.make(ctx, before...)
	if err != nil {
		return made, err
	}
	s.role.Outputs(s.component, s.in, s.Made, m)
	return s.component, nil
}
