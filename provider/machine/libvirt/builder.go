package libvirt

import (
	"fmt"

	"github.com/pulumi/pulumi-libvirt/sdk/go/libvirt"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

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

// Make registers the volumes, the cloud-init drive and the domain.
func (s Builder) Make(ctx *pulumi.Context, name string, spec machine.Spec, opts ...pulumi.ResourceOption) (machine.Machine, error) {
	opts, place, err := s.hypervisor(ctx, name, opts)
	if err != nil {
		return machine.Machine{}, err
	}
	drive, err := s.drive(ctx, name, spec, opts)
	if err != nil {
		return machine.Machine{}, err
	}
	rebuild := pulumi.Sprintf("%s-%s", place, spec.Rebuild)
	if s.ImmutableReason() != "" {
		rebuild = pulumi.Sprintf("%s-%s", rebuild, spec.Content)
	}
	disks, err := s.disks(ctx, name, spec, rebuild, drive, opts)
	if err != nil {
		return machine.Machine{}, err
	}
	domain, err := libvirt.NewDomain(ctx, name+"-domain", s.domain(spec, drive, disks), machine.With(machine.Hooked(opts, spec.Hooks),
		pulumi.DeleteBeforeReplace(true),
		// libvirt does nothing for a running machine when its interfaces change, and on a network in
		// bridge mode the provider sees a change that is none: only the trigger counts.
		pulumi.IgnoreChanges([]string{"networkInterfaces"}),
		pulumi.ReplacementTrigger(pulumi.Sprintf("%s-%s", rebuild, s.attachment())))...)
	if err != nil {
		return machine.Machine{}, err
	}
	last := disks[len(disks)-1].(libvirt.DomainDiskArgs) // the data volume, or else the root volume
	return machine.Machine{
		ID: domain.ID().ToStringOutput(), Generation: spec.Generation, Resource: domain,
		Data:  pulumi.Sprintf("%s %s", place, last.VolumeId.ToStringPtrOutput().Elem()),
		Drive: drive.ID().ToStringOutput(),
	}, nil
}

// hypervisor adds to opts the provider of the Config's own URI, if it has one,
// and names the place: a change of it replaces what is there, which a change
// of provider alone does not. Of several triggers the last counts.
func (s Builder) hypervisor(ctx *pulumi.Context, name string, opts []pulumi.ResourceOption) ([]pulumi.ResourceOption, pulumi.StringOutput, error) {
	opts = machine.With(opts, plugin()...)
	if s.Config.URI == nil {
		nowhere := pulumi.String("").ToStringOutput()
		return machine.With(opts, pulumi.ReplacementTrigger(nowhere)), nowhere, nil
	}
	uri := s.Inputs.String("uri").ToStringPtrOutput()
	p, err := libvirt.NewProvider(ctx, name+"-libvirt-"+guest.Hash(*s.Config.URI)[:8], &libvirt.ProviderArgs{Uri: uri}, opts...)
	if err != nil {
		return nil, pulumi.StringOutput{}, err
	}
	place := uri.Elem()
	return machine.With(opts, pulumi.Provider(p), pulumi.ReplacementTrigger(place)), place, nil
}

func (s Builder) drive(ctx *pulumi.Context, name string, spec machine.Spec, opts []pulumi.ResourceOption) (*libvirt.CloudInitDisk, error) {
	// Without a fixed name Pulumi gives each drive one of its own. One by content would be there already when
	// a change is taken back that failed: the drive of before goes at the end of an update.
	fixed := s.Config.CloudInitVolumeName != nil
	// DeleteBeforeReplace is said either way: by itself the plugin deletes first what has a given name, and a
	// machine that starts in between lacks its drive.
	return libvirt.NewCloudInitDisk(ctx, name+"-cloud-init", &libvirt.CloudInitDiskArgs{
		Name:          s.Inputs.String("cloudInitVolumeName"),
		Pool:          s.Inputs.String("cloudInitVolumePool"),
		UserData:      spec.UserData,
		MetaData:      spec.MetaData,
		NetworkConfig: spec.NetworkConfig,
	}, machine.With(opts, pulumi.DeleteBeforeReplace(fixed))...)
}

// disks are the root volume and, if there is one, the data volume.
func (s Builder) disks(ctx *pulumi.Context, name string, spec machine.Spec, rebuild pulumi.StringOutput, drive pulumi.Resource, opts []pulumi.ResourceOption) (libvirt.DomainDiskArray, error) {
	root, data := s.Inputs.String("volumeId"), s.Inputs.String("dataVolumeId")
	if s.Config.Volume != nil {
		suffix, more := s.root(name, spec)
		// After the drive: two resources that are each deleted before they are
		// replaced must not be so at the same time.
		v, err := libvirt.NewVolume(ctx, name+"-volume"+suffix, s.volume(spec, suffix), machine.With(opts, append(more,
			pulumi.DeleteBeforeReplace(true), pulumi.ReplacementTrigger(rebuild), pulumi.DependsOn([]pulumi.Resource{drive}))...)...)
		if err != nil {
			return nil, err
		}
		root = v.ID().ToStringPtrOutput()
	}
	disks := libvirt.DomainDiskArray{libvirt.DomainDiskArgs{VolumeId: root}}
	if s.Config.DataVolume != nil {
		v, err := libvirt.NewVolume(ctx, name+"-data-volume", &libvirt.VolumeArgs{
			Name:   pulumi.Sprintf("%s-data."+defaultFormat, spec.Name),
			Pool:   s.Inputs.String("dataVolume.pool"),
			Size:   s.Inputs.Int("dataVolume.size"),
			Format: pulumi.String(defaultFormat),
		}, machine.With(machine.Hooked(opts, spec.DataHooks), pulumi.DeleteBeforeReplace(true))...)
		if err != nil {
			return nil, err
		}
		data = v.ID().ToStringPtrOutput()
	}
	if data != nil {
		disks = append(disks, libvirt.DomainDiskArgs{VolumeId: data})
	}
	return disks, nil
}

// root is how the resource of the root volume ends, and further options of it.
//
// One from another image, or of another place, is another resource: it is made before the
// machine is deleted, and the former one is deleted at the end of the update. So an image that
// is not there, or a pool without room, costs nothing. Were it the same resource, the engine
// would delete the volume, and the domain before that. A volume with data is not made before the
// machine may go.
func (s Builder) root(name string, spec machine.Spec) (suffix string, more []pulumi.ResourceOption) {
	if spec.HasData && s.Config.DataVolume == nil && s.Inputs.String("dataVolumeId") == nil {
		// The plugin would grow it below the machine.
		return "", machine.With(machine.Hooked(nil, spec.DataHooks), pulumi.ReplaceOnChanges([]string{"size"}))
	}
	v := s.Config.Volume
	suffix = "-" + guest.Hash(
		ptr.Value(s.Config.URI), v.Pool, fmt.Sprint(ptr.Value(v.Size)), ptr.Value(v.BaseVolumeID), ptr.Value(v.BaseVolumeName), ptr.Value(v.BaseVolumePool), ptr.Value(v.Format),
	)[:8]
	return suffix, []pulumi.ResourceOption{
		pulumi.Aliases([]pulumi.Alias{{Name: pulumi.String(name + "-volume")}}), pulumi.IgnoreChanges([]string{"name"}), // of earlier versions
	}
}

func (s Builder) volume(spec machine.Spec, suffix string) *libvirt.VolumeArgs {
	args := &libvirt.VolumeArgs{
		Name:           pulumi.Sprintf("%s"+suffix+".%s", spec.Name, s.Inputs.String("volume.format").ToStringPtrOutput().Elem()),
		Pool:           s.Inputs.String("volume.pool"),
		Size:           s.Inputs.Int("volume.size"),
		BaseVolumeId:   s.Inputs.String("volume.baseVolumeId"),
		BaseVolumeName: s.Inputs.String("volume.baseVolumeName"),
		BaseVolumePool: s.Inputs.String("volume.baseVolumePool"),
		Format:         s.Inputs.String("volume.format"),
	}
	if args.BaseVolumeName != nil && args.BaseVolumePool == nil {
		args.BaseVolumePool = args.Pool
	}
	return args
}
