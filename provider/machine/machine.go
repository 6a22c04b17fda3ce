// Package machine says what a component asks of its backend: libvirt or OpenStack, where
// its machine runs.
//
// A Spec is what the machine is to be; the Builder of a Backend makes it. The packages
// below know how, and nothing of what the machine is for.
package machine

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// Spec is what a machine is to be. The documents are cloud-init's.
type Spec struct {
	Name          pulumi.StringOutput
	UserData      pulumi.StringOutput
	MetaData      pulumi.StringOutput
	NetworkConfig pulumi.StringOutput

	// Content changes with any of the documents. A backend that can hand new
	// documents to a running machine does so.
	Content pulumi.StringOutput
	// Rebuild changes with what only a fresh machine takes up.
	Rebuild pulumi.StringOutput
	// SteadyState changes with what a machine is to take up while it runs, too. A
	// backend that cannot hand it over makes a fresh machine.
	SteadyState pulumi.StringOutput
	// Generation is that of the state in the user data.
	Generation pulumi.StringOutput

	// Addresses are those that the machine may have beside its own.
	Addresses pulumi.StringArray

	// HasData is that the machine keeps data.
	HasData bool

	// Hooks run before the machine is changed in place, DataHooks before what its data lie
	// on is made. Nil are none.
	Hooks, DataHooks *pulumi.ResourceHookBinding
}

// Machine is a machine that a Builder made. Generation is that of the state
// which it was handed.
type Machine struct {
	ID, Generation pulumi.StringOutput
	// Data is the id of what its data lie on. A preview, and an update before it
	// deletes anything, do not know it where the data go.
	Data pulumi.StringOutput
	// Drive is the id of what hands the machine its documents while it runs, or ""
	// where nothing does: another one each time.
	Drive    pulumi.StringOutput
	Resource pulumi.Resource
	// Last are what is registered last of it. What comes after a machine depends on these,
	// and not on its component: of a component's children the SDK takes those alone that
	// it has begun to register by then.
	Last []pulumi.Resource
}

// Backend is what the inputs of a component say of a machine and of where it runs.
type Backend interface {
	// Validate returns what is wrong with it.
	Validate() check.List
	// IPs are the addresses of the machine, IPPaths the inputs that have them.
	// Services bind and advertise the first.
	IPs() []string
	IPPaths() []string
	// Beside is the address of the machine in the network of another one, or the reason why it
	// cannot have that other one too. What is not known yet is neither.
	Beside(ip string) (own, reason string)
	// Owns is what no other machine may have, by the inputs that have it.
	Owns() []check.Owned
	// NetworkConfig is what the machine reads of its network from cloud-init's
	// drive, if it has it from there.
	NetworkConfig(machine string) (string, error)
	// Disk is the device that a blank data volume is, or "" if there is none.
	Disk() string
	// Data names what the data of the machine with that name lie on: where it is
	// another, they are gone. Fresh changes with what only a fresh machine takes
	// up. It is "" where any other machine is one without them.
	Data(machine, fresh string) string
	// Holds says in words what the data of the machine with that name lie on.
	Holds(machine string) string
	// State is what a machine there needs beside its role.
	State() guest.State
	// CheckSize returns why user data cannot be handed to a machine there, or "".
	CheckSize(cloudinit.UserData) (reason string, err error)
	// Builder gives what makes the machine, of the inputs of the backend.
	Builder(Inputs) Builder
}

// Builder makes machines.
type Builder interface {
	// Make registers the resources of a machine as children of a component.
	Make(ctx *pulumi.Context, name string, spec Spec, opts ...pulumi.ResourceOption) (Machine, error)
	// Effects are what a change may do to the machine with that name, in
	// words, each with a text that changes when it does.
	Effects(name string) map[string]string
	// ImmutableReason says why new documents do not reach a machine that runs, so that
	// each change of them rebuilds it; "" where they do.
	ImmutableReason() string
}

// Inputs are the inputs of a component as they were given: with what is
// unknown, what is secret and what they depend on. Absent ones are nil.
type Inputs interface {
	String(path string) pulumi.StringPtrInput
	Int(path string) pulumi.IntPtrInput
	Bool(path string) pulumi.BoolPtrInput
	Strings(path string) pulumi.StringArrayInput
	HasProvider(of string) bool
}

// Under gives the inputs below a path of in.
func Under(in Inputs, path string) Inputs { return below{in, path + "."} }

type below struct {
	in     Inputs
	prefix string
}

func (b below) String(path string) pulumi.StringPtrInput { return b.in.String(b.prefix + path) }
func (b below) Int(path string) pulumi.IntPtrInput       { return b.in.Int(b.prefix + path) }
func (b below) Bool(path string) pulumi.BoolPtrInput     { return b.in.Bool(b.prefix + path) }
func (b below) Strings(path string) pulumi.StringArrayInput {
	return b.in.Strings(b.prefix + path)
}

func (b below) HasProvider(of string) bool { return b.in.HasProvider(of) }

// Hooked is opts and hooks, if there are any.
func Hooked(opts []pulumi.ResourceOption, hooks *pulumi.ResourceHookBinding) []pulumi.ResourceOption {
	if hooks == nil {
		return opts
	}
	return With(opts, pulumi.ResourceHooks(hooks))
}

// With is opts and more, in a list of its own.
func With(opts []pulumi.ResourceOption, more ...pulumi.ResourceOption) []pulumi.ResourceOption {
	return append(append([]pulumi.ResourceOption{}, opts...), more...)
}
