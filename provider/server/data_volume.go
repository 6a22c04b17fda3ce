package server

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// hasData reports whether there is a data volume.
func (b Backend) hasData() bool { return b.chosen() != nil && b.chosen().Disk() != "" }

// warnOfDisk tells of a machine that has what its role stores on a disk which
// goes with each change.
func warnOfDisk[A any](ctx *pulumi.Context, in inputs.Inputs[A], b Backend, about pulumi.Resource) error {
	known := in.Present("openstack.dataVolume") && in.Present("openstack.dataVolumeId") && in.Present("openstack.volumeId")
	if b.Libvirt != nil || b.OpenStack == nil || b.hasData() || b.OpenStack.VolumeID != nil || !known {
		return nil
	}
	return ctx.Log.Warn("without a data volume, any change of the machine's configuration deletes its data: OpenStack creates another instance",
		&pulumi.LogArgs{Resource: about})
}

// AboutDataLoss describes the input of a server that consents to it.
const AboutDataLoss = "Whether an update may delete the data of the machine: with another data volume, or another machine where there is none. Otherwise such an update is refused, in preview too, since no other machine is known to have the data. Remove it after the update that needs it."

// WarnOfDataLoss warns of a consent that stays.
func WarnOfDataLoss(allowed *bool) check.List {
	var l check.List
	if ptr.Value(allowed) {
		l.Add("allowDataLoss", "is on: no update is refused that deletes the data of the machine. Remove it after the update that needs it")
	}
	return l
}

// HasKeptData reports whether its data are on a volume that is there already.
func (b Backend) HasKeptData() bool {
	return b.Libvirt != nil && b.Libvirt.DataVolumeID != nil || b.OpenStack != nil && b.OpenStack.DataVolumeID != nil
}

// ValidateNoData requires no data volume.
func (b Backend) ValidateNoData(why string) check.List {
	var l check.List
	if b.hasData() {
		l.Add(b.Input(), "must have neither dataVolume nor dataVolumeId: %s", why).
			Shape().Needing(b.Input()+".dataVolume", b.Input()+".dataVolumeId")
	}
	return l
}

// WarnOfNoData warns of a machine of a cluster on libvirt that has what its role stores on a disk which
// goes when it is made anew.
func (b Backend) WarnOfNoData() check.List {
	var l check.List
	if b.Libvirt != nil && !b.hasData() {
		l.Add(b.Input(), "has no data volume: every rebuild of the machine, as for another image, deletes its data. It gets them back only from other machines of the cluster").
			Shape().Needing(b.Input()+".dataVolume", b.Input()+".dataVolumeId")
	}
	return l
}
