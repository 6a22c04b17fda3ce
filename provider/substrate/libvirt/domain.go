package libvirt

import (
	"fmt"

	"github.com/pulumi/pulumi-libvirt/sdk/go/libvirt"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
)

func (s Substrate) domain(spec machine.Spec, drive *libvirt.CloudInitDisk, disks libvirt.DomainDiskArray) *libvirt.DomainArgs {
	args := &libvirt.DomainArgs{
		Name:              pulumi.String(spec.Name),
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

func (s Substrate) cpuMode() pulumi.StringPtrInput {
	if s.Config.CPUMode != nil {
		return s.Inputs.String("cpuMode")
	}
	if t := s.Config.DomainType; t != nil && *t == QEMU {
		return nil
	}
	return pulumi.String(hostCPU)
}

// interfaces has no addresses: the provider sees a change in them forever
// while the machine has no lease.
func (s Substrate) interfaces(machine string) (all libvirt.DomainNetworkInterfaceArray) {
	plain := s.Config.Interfaces(machine)
	for i := range s.Config.Networks {
		path := fmt.Sprintf("networks[%d].", i)
		all = append(all, libvirt.DomainNetworkInterfaceArgs{
			NetworkId:   s.Inputs.String(path + "networkId"),
			NetworkName: s.Inputs.String(path + "networkName"),
			Mac:         pulumi.String(plain[len(all)].MAC),
		})
	}
	for i := range s.Config.MacvtapInterfaces {
		all = append(all, libvirt.DomainNetworkInterfaceArgs{
			Macvtap: s.Inputs.String(fmt.Sprintf("macvtapInterfaces[%d].interface", i)),
			Mac:     pulumi.String(plain[len(all)].MAC),
		})
	}
	return all
}

// attachment names what the machine's interfaces are attached to: libvirt
// takes a change of it for a running machine, and does nothing.
func (s Substrate) attachment() pulumi.StringOutput {
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
