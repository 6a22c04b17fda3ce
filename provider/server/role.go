package server

import (
	"maps"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

// Role is what tells the servers of one type from those of another.
type Role[A any] struct {
	Token string
	// Certificates makes those of a server, nil for none.
	Certificates func(*pulumi.Context, string, inputs.Inputs[A], []pulumi.ResourceOption) (pulumi.StringMap, error)
	// State is what a machine is to be, of the inputs and what was made for it.
	State func(args A, made map[string]string) (guest.State, error)
}

// Plan registers a server, and plans its machine: with its certificates, and with secrets
// that were made for it.
func (r Role[A]) Plan(
	ctx *pulumi.Context, name string, c pulumi.ComponentResource, in inputs.Inputs[A], h ServerArgs, secrets pulumi.StringMap, opts []pulumi.ResourceOption,
) (Planned, error) {
	children, err := Register(ctx, r.Token, name, c, opts)
	if err != nil {
		return Planned{}, err
	}
	made := pulumi.StringMap{}
	if r.Certificates != nil {
		if made, err = r.Certificates(ctx, name, in, children); err != nil {
			return Planned{}, err
		}
	}
	maps.Copy(made, secrets)
	return r.plan(name, children, in, h, made), nil
}
