package openstack

import (
	"fmt"

	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/blockstorage"
	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/compute"
	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/networking"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
)

// port is the one given, or one that is made.
func (s Builder) port(ctx *pulumi.Context, name string, spec machine.Spec, opts []pulumi.ResourceOption) (pulumi.StringPtrInput, error) {
	if s.Config.NetworkPort.ID != nil {
		return s.Inputs.String("networkPort.id"), nil
	}
	args := &networking.PortArgs{
		Name:      s.name(spec),
		NetworkId: s.Inputs.String("networkPort.networkId").ToStringPtrOutput().Elem(),
		FixedIps: networking.PortFixedIpArray{networking.PortFixedIpArgs{
			SubnetId:  s.Inputs.String("networkPort.subnetId"),
			IpAddress: s.Inputs.String("networkPort.ip"),
		}},
		SecurityGroupIds: s.Inputs.Strings("networkPort.securityGroupIds"),
	}
	if len(spec.Addresses) > 0 { // what comes from another address than its own, Neutron drops
		var pairs networking.PortAllowedAddressPairArray
		for _, address := range spec.Addresses {
			pairs = append(pairs, networking.PortAllowedAddressPairArgs{IpAddress: address})
		}
		args.AllowedAddressPairs = pairs
	}
	port, err := networking.NewPort(ctx, name+"-port", args, machine.With(opts, pulumi.DeleteBeforeReplace(true))...) // no two ports have one address
	if err != nil {
		return nil, err
	}
	return port.ID().ToStringPtrOutput(), nil
}

// disks are none for an instance that has its image's alone.
func (s Builder) disks(ctx *pulumi.Context, name string, spec machine.Spec, opts []pulumi.ResourceOption) (compute.InstanceBlockDeviceArray, error) {
	data := s.Inputs.String("dataVolumeId")
	if s.Config.DataVolume != nil {
		v, err := blockstorage.NewVolume(ctx, name+"-data-volume", &blockstorage.VolumeArgs{
			Name:               pulumi.Sprintf("%s-data", s.name(spec)),
			Size:               s.Inputs.Int("dataVolume.size").ToIntPtrOutput().Elem(),
			VolumeType:         s.Inputs.String("dataVolume.type"),
			AvailabilityZone:   s.Inputs.String("dataVolume.availabilityZone"),
			EnableOnlineResize: pulumi.Bool(true),
		}, machine.With(machine.Hooked(opts, spec.DataHooks), pulumi.DeleteBeforeReplace(true))...)
		if err != nil {
			return nil, err
		}
		data = extended(spec.Name, v, s.Inputs.Int("dataVolume.size"))
	}
	var root compute.InstanceBlockDeviceArgs
	switch {
	case s.Config.VolumeID != nil:
		root = disk("volume", "volume", s.Inputs.String("volumeId"), 0)
	case data != nil:
		root = disk("image", "local", s.Inputs.String("imageId"), 0)
		root.DeleteOnTermination = pulumi.Bool(true)
	default:
		return nil, nil
	}
	disks := compute.InstanceBlockDeviceArray{root}
	if data != nil {
		disks = append(disks, disk("volume", "volume", data, -1))
	}
	return disks, nil
}

// extended is the id of a volume that is as large as it is to be. Where OpenStack did not extend it, the plugin
// takes it for extended in the next update, does nothing, and finds in the end that it is not.
func extended(machine pulumi.StringOutput, v *blockstorage.Volume, wanted pulumi.IntPtrInput) pulumi.StringPtrOutput {
	return fault.Try(pulumi.All(v.ID(), v.Size, wanted.ToIntPtrOutput().Elem(), machine), func(of []any) (string, error) {
		if has, want := of[1].(int), of[2].(int); has < want {
			return "", fmt.Errorf("the data volume of %s has %d GiB, not %d: an earlier update could not extend it. Run `pulumi up` again, which tries that once more", of[3], has, want)
		}
		return string(of[0].(pulumi.ID)), nil
	}).(pulumi.StringOutput).ToStringPtrOutput()
}

// disk is one that stays when the instance goes.
func disk(source, destination string, id pulumi.StringPtrInput, boot int) compute.InstanceBlockDeviceArgs {
	return compute.InstanceBlockDeviceArgs{
		SourceType: pulumi.String(source), DestinationType: pulumi.String(destination), Uuid: id,
		BootIndex: pulumi.Int(boot), DeleteOnTermination: pulumi.Bool(false),
	}
}
