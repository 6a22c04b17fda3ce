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
)

// Site says where a machine runs: by one of its fields, which are the inputs of
// these names.
type Site struct {
	Libvirt   *libvirt.Config
	OpenStack *openstack.Config
}

func (s Site) validate() check.List {
	var l check.List
	l.ExactlyOne("", "libvirt", s.Libvirt != nil, "openstack", s.OpenStack != nil)
	if s.Libvirt != nil {
		l.Under("libvirt", s.Libvirt.Validate())
	}
	if s.OpenStack != nil {
		l.Under("openstack", s.OpenStack.Validate())
	}
	return l
}

// place is nil if none is given.
func (s Site) place() machine.Place {
	switch {
	case s.Libvirt != nil:
		return s.Libvirt
	case s.OpenStack != nil:
		return s.OpenStack
	}
	return nil
}

// Input is the name of the place.
func (s Site) Input() string {
	if s.Libvirt != nil {
		return "libvirt"
	}
	return "openstack"
}

// IPs are the addresses of the machine, as far as they are known.
func (s Site) IPs() []string {
	if place := s.place(); place != nil {
		return place.IPs()
	}
	return nil
}

// IP is the address that the machine serves on, if it is known.
func (s Site) IP() string {
	if ips := s.IPs(); len(ips) > 0 {
		return ips[0]
	}
	return ""
}

// Addresses are those of the machine whose place is among the inputs below
// path, as they were given.
func (s Site) Addresses(in Given, path string) (all pulumi.StringArray) {
	for _, ip := range s.IPPaths(path) {
		all = append(all, in.RequiredString(ip))
	}
	return all
}

// IPPaths are the inputs below path that have them. If the place itself is not
// known yet, it is the whole.
func (s Site) IPPaths(path string) (all []string) {
	if s.place() == nil {
		return []string{path}
	}
	for _, ip := range s.place().IPPaths() {
		all = append(all, check.Join(check.Join(path, s.Input()), ip))
	}
	return all
}

// IsNamed tells whether the machine whose inputs are below path can be planned:
// its resources have its name in theirs.
func IsNamed[A any](in inputs.Inputs[A], path string) bool { return in.Known(path + ".name") }

// Owned is what no other machine may have, of one whose place is among the
// inputs below path.
func (s Site) Owned(path string) (all []check.Owned) {
	if s.place() == nil {
		return nil
	}
	place := check.Join(path, s.Input())
	for _, o := range s.place().Owns() {
		needs := o.Needs
		o.Path, o.Needs = check.Join(place, o.Path), nil
		for _, needed := range needs {
			o.Needs = append(o.Needs, check.Join(place, needed))
		}
		all = append(all, o)
	}
	return all
}

// WithAddressPaths gives faults that a role saw in its machine's addresses, its `ips`,
// the names of the inputs that have these.
func (s Site) WithAddressPaths(problems check.List) check.List {
	addresses := []string{"libvirt.networks", "libvirt.macvtapInterfaces"}
	if s.Libvirt == nil {
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
func (s Site) Volumes(label, mountPoint string) []guest.Volume {
	if device := s.place().Disk(); device != "" {
		return []guest.Volume{{Device: device, Label: label, MountPoint: mountPoint}}
	}
	return nil
}

// hasData tells whether there is a data volume.
func (s Site) hasData() bool { return s.place() != nil && s.place().Disk() != "" }

// WarnOfDisk tells of a machine that has what its role stores on a disk which
// goes with each change.
func WarnOfDisk[A any](ctx *pulumi.Context, in inputs.Inputs[A], s Site, about pulumi.Resource) error {
	if s.Libvirt != nil || s.OpenStack == nil || s.hasData() || s.OpenStack.VolumeID != nil || !in.Present("openstack") {
		return nil
	}
	return ctx.Log.Warn("without a data volume, any change of what the machine is handed loses what it has stored: OpenStack makes another instance",
		&pulumi.LogArgs{Resource: about})
}

// ValidateNoData wants no data volume.
func (s Site) ValidateNoData(why string) check.List {
	var l check.List
	if s.hasData() {
		l.Add(s.Input(), "must have neither dataVolume nor dataVolumeId: %s", why).
			Shape().Needing(s.Input()+".dataVolume", s.Input()+".dataVolumeId")
	}
	return l
}
