package libvirt

import (
	"fmt"

	"github.com/pulumi/pulumi-libvirt/sdk/go/libvirt"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

func (s Builder) domain(spec machine.Spec, drive *libvirt.CloudInitDisk, disks libvirt.DomainDiskArray) *libvirt.DomainArgs {
	args := &libvirt.DomainArgs{
		Name:              spec.Name,
		Vcpu:              s.Inputs.Int("vcpus"),
		Memory:            s.Inputs.Int("memory"),
		Type:              s.Inputs.String("domainType"),
		Machine:           s.Inputs.String("machine"),
		Running:           s.Inputs.Bool("running"),
		Autostart:         s.Inputs.Bool("autostart"),
		Cloudinit:         drive.ID(),
		Disks:             disks,
		NetworkInterfaces: s.interfaces(spec.Name),
		Consoles: libvirt.DomainConsoleArray{
			libvirt.DomainConsoleArgs{Type: pulumi.String("pty"), TargetType: pulumi.String("serial"), TargetPort: pulumi.String("0")},
			libvirt.DomainConsoleArgs{Type: pulumi.String("pty"), TargetType: pulumi.String("virtio"), TargetPort: pulumi.String("1")},
		},
	}
	if mode := s.cpuMode(); mode != nil {
		args.Cpu = libvirt.DomainCpuArgs{Mode: mode}
	}
	return args
}

func (s Builder) cpuMode() pulumi.StringPtrInput {
	if given := s.Inputs.String("cpuMode"); given != nil {
		return given
	}
	if t := s.Config.DomainType; t != nil && *t == QEMU {
		return nil
	}
	return pulumi.String(hostCPU)
}

// interfaces has no addresses: the provider sees a change in them forever
// while the machine has no lease.
func (s Builder) interfaces(machine pulumi.StringOutput) (all libvirt.DomainNetworkInterfaceArray) {
	for i := range s.Config.Networks {
		path := fmt.Sprintf("networks[%d].", i)
		all = append(all, libvirt.DomainNetworkInterfaceArgs{
			NetworkId:   s.Inputs.String(path + "networkId"),
			NetworkName: s.Inputs.String(path + "networkName"),
			Mac:         s.mac(machine, path),
		})
	}
	for i := range s.Config.MacvtapInterfaces {
		path := fmt.Sprintf("macvtapInterfaces[%d].", i)
		all = append(all, libvirt.DomainNetworkInterfaceArgs{
			Macvtap: s.Inputs.String(path + "interface"),
			Mac:     s.mac(machine, path),
		})
	}
	return all
}

// mac is that of the interface whose inputs are below path.
func (s Builder) mac(machine pulumi.StringOutput, path string) pulumi.StringPtrInput {
	if given := s.Inputs.String(path + "mac"); given != nil {
		return given
	}
	made := fault.Apply(pulumi.All(machine, s.Inputs.String(path+"ip").ToStringPtrOutput().Elem()), func(of []any) string {
		return mac(nil, of[0].(string), of[1].(string))
	})
	return made.(pulumi.StringOutput).ToStringPtrOutput()
}

// attachment names what the machine's interfaces are attached to: libvirt
// takes a change of it for a running machine, and does nothing.
func (s Builder) attachment() pulumi.StringOutput {
	var all pulumi.StringArray
	add := func(path string) {
		if in := s.Inputs.String(path); in != nil {
			all = append(all, in.ToStringPtrOutput().Elem())
		}
	}
	for i := range s.Config.Networks {
		add(fmt.Sprintf("networks[%d].networkId", i))
		add(fmt.Sprintf("networks[%d].networkName", i))
	}
	for i := range s.Config.MacvtapInterfaces {
		add(fmt.Sprintf("macvtapInterfaces[%d].interface", i))
	}
	return pulumi.Sprintf("%v", all.ToStringArrayOutput())
}

// ImmutableReason is for a drive that keeps its name, which cannot be swapped in a
// running machine.
func (s Builder) ImmutableReason() string {
	if s.Config.CloudInitVolumeName != nil {
		return "cloudInitVolumeName is fixed"
	}
	return ""
}

// Effects are what a change of the Config may do, as the provider of libvirt
// takes it.
func (s Builder) Effects(name string) map[string]string {
	c := s.Config
	all := map[string]string{
		guest.Anew:                          guest.Text(name, c.URI, c.VolumeID, c.Volume, c.CloudInitVolumeName),
		guest.PowerOff:                      guest.Text(c.VCPUs, c.Memory, c.CPUMode, c.DomainType, c.attachments(), c.DataVolumeID, c.DataVolume != nil),
		guest.Live + "its cloud-init drive": guest.Text(c.CloudInitVolumePool),
		guest.AutostartChange:               guest.Text(c.Running, c.Autostart),
	}
	if c.DataVolume != nil {
		all[guest.DataAnew] = c.Text(s.Inputs, func(c Config) string { return guest.Text(name, c.URI, c.DataVolume) })
	}
	return all
}

// Text is what of makes of the machine, for [guest.HashOf].
func (c Config) Text(in machine.Inputs, of func(Config) string) string {
	sizeless, size := c.Sizeless(in)
	if size == 0 {
		return of(c)
	}
	return guest.Sized(guest.Hash(of(sizeless)), size, guest.Hash(of(c)))
}

// Sizeless is c without the size of its data volume, and that: where the volume grows while the machine runs, that
// is no change. It is one behind a provider of the user's own: the published plugin, by which that may be served,
// replaces the volume. There, and without a volume, the size is 0.
func (c Config) Sizeless(in machine.Inputs) (sizeless Config, size int) {
	if c.DataVolume == nil || in.HasProvider("libvirt") {
		return c, 0
	}
	volume := *c.DataVolume
	volume.Size, size = 0, volume.Size
	c.DataVolume = &volume
	return c, size
}

// attachments are what the machine's interfaces are attached to.
func (c Config) attachments() (all []string) {
	for _, n := range c.Networks {
		all = append(all, ptr.Value(n.NetworkID)+"/"+ptr.Value(n.NetworkName))
	}
	for _, m := range c.MacvtapInterfaces {
		all = append(all, m.Interface)
	}
	return all
}
