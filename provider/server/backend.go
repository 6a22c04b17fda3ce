package server

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Backend says where a machine runs: by one of its first fields, which are the inputs of
// these names. At is the address of somebody else's machine, of which neither says anything.
type Backend struct {
	Libvirt   *libvirt.Config
	OpenStack *openstack.Config
	At        string
}

func (b Backend) validate() check.List {
	var l check.List
	l.ExactlyOne("", "libvirt", b.Libvirt != nil, "openstack", b.OpenStack != nil)
	if b.Libvirt != nil {
		l.Under("libvirt", b.Libvirt.Validate())
	}
	if b.OpenStack != nil {
		l.Under("openstack", b.OpenStack.Validate())
	}
	return l
}

func (b Backend) warnings() check.List {
	var l check.List
	if b.Libvirt != nil {
		l.Under("libvirt", b.Libvirt.Warnings())
	}
	return l
}

// chosen is nil if none is given.
func (b Backend) chosen() machine.Backend {
	switch {
	case b.Libvirt != nil:
		return b.Libvirt
	case b.OpenStack != nil:
		return b.OpenStack
	}
	return nil
}

// Input is the name of the input.
func (b Backend) Input() string {
	if b.Libvirt != nil {
		return "libvirt"
	}
	return "openstack"
}

// IPs are the addresses of the machine, as far as they are known.
func (b Backend) IPs() []string {
	if chosen := b.chosen(); chosen != nil {
		return chosen.IPs()
	}
	if b.At != "" {
		return []string{b.At}
	}
	return nil
}

// IP is the address that the machine serves on, if it is known.
func (b Backend) IP() string {
	if ips := b.IPs(); len(ips) > 0 {
		return ips[0]
	}
	return ""
}

// Beside is the address of the machine in the network of another one, or the reason why it
// cannot have that other one too.
func (b Backend) Beside(ip string) (own, reason string) {
	if chosen := b.chosen(); chosen != nil {
		return chosen.Beside(ip)
	}
	return "", ""
}

// BesidePath is the input below path that has the address which is beside another one: the
// first, if none is.
func (b Backend) BesidePath(path, ip string) string {
	own, _ := b.Beside(ip)
	return b.IPPaths(path)[max(0, slices.Index(b.IPs(), own))]
}

// Addresses are those of the machine whose backend is among the inputs below
// path, as they were given.
func (b Backend) Addresses(in Given, path string) (all pulumi.StringArray) {
	for _, ip := range b.IPPaths(path) {
		all = append(all, in.RequiredString(ip))
	}
	return all
}

// IPPaths are the inputs below path that have them. If the backend itself is not
// known yet, it is the whole.
func (b Backend) IPPaths(path string) (all []string) {
	switch {
	case b.At != "":
		return []string{check.Join(path, "ip")}
	case b.chosen() == nil:
		return []string{path}
	}
	for _, ip := range b.chosen().IPPaths() {
		all = append(all, check.Join(check.Join(path, b.Input()), ip))
	}
	return all
}

// IsNamed reports whether the machine whose inputs are below path can be planned:
// its resources have its name in theirs.
func IsNamed[A any](in inputs.Inputs[A], path string) bool { return in.Known(path + ".name") }

// Owned is what no other machine may have, of one whose backend is among the
// inputs below path.
func (b Backend) Owned(path string) []check.Owned {
	switch {
	case b.At != "":
		return []check.Owned{{Path: check.Join(path, "ip"), Kind: check.Addresses, Value: b.At}}
	case b.chosen() == nil:
		return nil
	}
	return under(check.Join(path, b.Input()), b.chosen().Owns())
}

// Uses are what no machine beside it may have for itself, of one whose backend is among the
// inputs below path.
func (b Backend) Uses(path string) []check.Owned {
	if b.Libvirt == nil {
		return nil
	}
	return under(check.Join(path, b.Input()), b.Libvirt.Uses())
}

// NameServers are the addresses of DNS servers that a machine asks, of one whose backend is among the inputs below path.
func (b Backend) NameServers(path string) []check.Owned {
	if b.Libvirt == nil {
		return nil
	}
	return under(check.Join(path, b.Input()), b.Libvirt.NameServers())
}

func under(input string, owned []check.Owned) (all []check.Owned) {
	for _, o := range owned {
		needs := o.Needs
		o.Path, o.Needs = check.Join(input, o.Path), nil
		for _, needed := range needs {
			o.Needs = append(o.Needs, check.Join(input, needed))
		}
		all = append(all, o)
	}
	return all
}

// WithAddressPaths gives faults that a role saw in its machine's addresses, its `ips`,
// the names of the inputs that have these.
func (b Backend) WithAddressPaths(problems check.List) check.List {
	addresses := []string{"libvirt.networks", "libvirt.macvtapInterfaces"}
	if b.Libvirt == nil {
		addresses = []string{"openstack.networkPort.ip"}
	}
	for i, p := range problems {
		if at := slices.Index(p.Needs, "ips"); at >= 0 {
			problems[i].Needs = slices.Replace(slices.Clone(p.Needs), at, at+1, addresses...)
		}
	}
	return problems
}

// Volumes are the data volume, if there is one.
func (b Backend) Volumes(label, mountPoint string) []guest.Volume {
	if device := b.chosen().Disk(); device != "" {
		return []guest.Volume{{Device: device, Label: label, MountPoint: mountPoint}}
	}
	return nil
}

// DataBytes is the size of the data volume, 0 without one or if it is not known.
func (b Backend) DataBytes() int {
	switch {
	case b.Libvirt != nil && b.Libvirt.DataVolume != nil:
		return b.Libvirt.DataVolume.Size
	case b.OpenStack != nil && b.OpenStack.DataVolume != nil:
		return b.OpenStack.DataVolume.Size << 30
	}
	return 0
}

// Processors are those of the machine, 0 if it is not known.
func (b Backend) Processors() int {
	if b.Libvirt == nil {
		return 0
	}
	return ptr.Value(b.Libvirt.VCPUs)
}

// MemoryBytes is the memory of the machine, 0 if it is not known.
func (b Backend) MemoryBytes() int {
	if b.Libvirt == nil {
		return 0
	}
	return ptr.Value(b.Libvirt.Memory) << 20
}
