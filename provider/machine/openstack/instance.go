package openstack

import (
	"github.com/pulumi/pulumi-openstack/sdk/v5/go/openstack/compute"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Builder makes a machine of a Config. Inputs are those of the Config.
type Builder struct {
	Config Config
	Inputs machine.Inputs
}

var _ machine.Builder = Builder{}

// generation is, among the metadata of an instance, that of the state which it
// was handed.
const generation = "quorum-generation"

// Make registers the port and the data volume, if they are to be made, and the
// instance.
func (s Builder) Make(ctx *pulumi.Context, name string, spec machine.Spec, opts ...pulumi.ResourceOption) (machine.Machine, error) {
	args := &compute.InstanceArgs{
		Name:             s.name(spec),
		FlavorId:         s.Inputs.String("flavorId"),
		ImageId:          s.Inputs.String("imageId"),
		KeyPair:          s.Inputs.String("keypairName"),
		AvailabilityZone: s.Inputs.String("availabilityZone"),
		UserData:         packed(spec.UserData).ToStringPtrOutput(),
		Metadata:         pulumi.StringMap{generation: spec.Generation},
		// Services end in order.
		StopBeforeDestroy: pulumi.Bool(true),
	}
	port, err := s.port(ctx, name, spec, opts)
	if err != nil {
		return machine.Machine{}, err
	}
	args.Networks = compute.InstanceNetworkArray{compute.InstanceNetworkArgs{Port: port}}
	devices, err := s.disks(ctx, name, spec, opts)
	if err != nil {
		return machine.Machine{}, err
	}
	if devices != nil {
		args.BlockDevices = devices
	}
	args.ConfigDrive = s.boundTo(port, devices)
	if args.SchedulerHints, err = s.hints(ctx, name, opts); err != nil {
		return machine.Machine{}, err
	}
	hooked := opts
	if len(devices) == 0 { // its data are on its own disk
		hooked = machine.Hooked(opts, spec.DataHooks)
	}
	instance, err := compute.NewInstance(ctx, name+"-instance", args, machine.With(hooked,
		pulumi.DeleteBeforeReplace(true), // its port and its volume are for one at a time
		// What is not in SteadyState is no reason for another instance, but another one gets it.
		pulumi.IgnoreChanges([]string{"userData", "metadata"}),
		pulumi.ReplacementTrigger(s.trigger(spec)))...)
	if err != nil {
		return machine.Machine{}, err
	}
	m := machine.Machine{
		ID: instance.ID().ToStringOutput(), Generation: instance.Metadata.MapIndex(pulumi.String(generation)), Resource: instance,
	}
	m.Data, m.Drive = m.ID, pulumi.String("").ToStringOutput()
	if n := len(devices); n > 0 { // the last is the data volume, or a root volume that stays
		m.Data = devices[n-1].(compute.InstanceBlockDeviceArgs).Uuid.ToStringPtrOutput().Elem()
	}
	return m, nil
}

// boundTo is the input configDrive, which depends on the port and the disks of the instance. Before one of
// these is deleted to be made anew, Pulumi asks the plugin whether the instance is, too, and has it go
// first. Of networks and disks that are not known the plugin says no, of this it says yes. Else a volume
// would be taken from an instance that runs, and no guard would have been asked.
func (s Builder) boundTo(port pulumi.StringPtrInput, disks compute.InstanceBlockDeviceArray) pulumi.BoolPtrInput {
	parts := []any{s.Inputs.Bool("configDrive"), port}
	if disks != nil {
		parts = append(parts, disks)
	}
	return fault.Apply(pulumi.All(parts...), func(of []any) *bool {
		drive, _ := of[0].(*bool)
		return drive
	}).(pulumi.BoolPtrOutput)
}

// name is what the instance of a machine, and what is made for it, is called.
func (s Builder) name(spec machine.Spec) pulumi.StringOutput {
	namespace := s.Inputs.String("namespace")
	if namespace == nil {
		return spec.Name
	}
	return fault.Apply(pulumi.All(spec.Name, namespace.ToStringPtrOutput().Elem()), func(of []any) string {
		if of[1] == "" {
			return of[0].(string)
		}
		return of[0].(string) + "-" + of[1].(string)
	}).(pulumi.StringOutput)
}

// trigger changes with all that asks for another instance, beside what the
// OpenStack provider itself replaces one for. It would resize and rebuild one
// that runs.
func (s Builder) trigger(spec machine.Spec) pulumi.StringOutput {
	parts := pulumi.Array{spec.SteadyState}
	for _, path := range []string{"imageId", "flavorId"} {
		if in := s.Inputs.String(path); in != nil {
			parts = append(parts, in.ToStringPtrOutput().Elem())
		}
	}
	if s.Config.DataVolume != nil { // the machine sees at its boot that a disk has grown
		parts = append(parts, s.Inputs.Int("dataVolume.size").ToIntPtrOutput().Elem())
	}
	return pulumi.Sprintf("%v", parts.ToArrayOutput())
}

// hints name the server group. One that is given is looked up first: Nova would
// say that there is none when the former instance is gone already.
func (s Builder) hints(ctx *pulumi.Context, name string, opts []pulumi.ResourceOption) (compute.InstanceSchedulerHintArrayInput, error) {
	group := s.Inputs.String("serverGroupId")
	if id := ptr.Value(s.Config.ServerGroupID); id != "" {
		given, err := compute.GetServerGroup(ctx, name+"-server-group", pulumi.ID(id), nil, opts...)
		if err != nil {
			return nil, err
		}
		group = given.ID().ToStringPtrOutput()
	}
	if group == nil {
		return nil, nil
	}
	return compute.InstanceSchedulerHintArray{compute.InstanceSchedulerHintArgs{Group: group}}, nil
}

// ImmutableReason is for Nova, which hands user data to an instance once.
func (Builder) ImmutableReason() string {
	return "OpenStack hands nothing new to an instance that runs"
}

// Effects are what a change of the Config may do.
func (s Builder) Effects(name string) map[string]string {
	c := s.Config
	all := map[string]string{
		guest.Anew: guest.Text(name, c.ImageID, c.VolumeID, c.FlavorID, c.KeypairName, c.DataVolumeID, c.DataVolume != nil,
			c.ServerGroupID, c.AvailabilityZone, c.ConfigDrive, c.NetworkPort.ID, c.NetworkPort.NetworkID, c.NetworkPort.SubnetID),
		guest.Live + "the security groups of its port": guest.Text(c.NetworkPort.SecurityGroupIDs),
		guest.Live + "its name in OpenStack":           guest.Text(c.Namespace),
	}
	if v := c.DataVolume; v != nil {
		all[guest.MoreRoom] = guest.Sized(guest.Hash(""), v.Size, guest.Hash(guest.Text(v.Size)))
		all[guest.DataAnew] = guest.Text(v.Type, v.AvailabilityZone)
	}
	return all
}
