package libvirt

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated        = (*Config)(nil)
	_ infer.Annotated        = (*Volume)(nil)
	_ infer.Annotated        = (*DataVolume)(nil)
	_ infer.Annotated        = (*Network)(nil)
	_ infer.Annotated        = (*Macvtap)(nil)
	_ infer.Enum[DomainType] = DomainType("")
)

// Annotate describes c.
func (c *Config) Annotate(a infer.Annotator) {
	a.SetToken("index", "LibvirtMachine")
	a.Describe(&c, "A virtual machine on a hypervisor that libvirt manages.")
	a.Describe(&c.URI, "Connection URI of the hypervisor, like qemu+ssh://root@host/system or qemu:///system. Without it, the libvirt provider of the component or the stack's default one is used.")
	a.Describe(&c.VCPUs, "Number of virtual processors, from 1 to 255. A change restarts the machine.")
	a.SetDefault(&c.VCPUs, defaultVCPUs)
	a.Describe(&c.Memory, "Memory in MiB, from 256 to 16777216 (16 TiB). A change restarts the machine.")
	a.SetDefault(&c.Memory, defaultMemoryMiB)
	a.Describe(&c.VolumeID, "Id of an existing root volume: a fresh copy of a cloud image of Debian 12 or 13, or Ubuntu 22.04 or 24.04. Either this or `volume`.")
	a.Describe(&c.Volume, "Root volume to create. Either this or `volumeId`.")
	a.Describe(&c.DataVolumeID, "Id of an existing data volume. The machine finds it by the label of its file system, and formats it only if it is blank. Not together with `dataVolume`.")
	a.Describe(&c.DataVolume, "Data volume to create. It is kept when the machine and its root volume are replaced, but not when `name` or `uri` changes. Not together with `dataVolumeId`.")
	a.Describe(&c.Networks, "Interfaces on libvirt networks. At least one is required here or in `macvtapInterfaces`. Services bind and advertise the first address, of `networks` before `macvtapInterfaces`.")
	a.Describe(&c.MacvtapInterfaces, "Macvtap interfaces on interfaces of the host, in bridge mode. The host itself cannot reach the machine through them.")
	a.Describe(&c.CloudInitVolumePool, "Pool of the cloud-init drive.")
	a.Describe(&c.CloudInitVolumeName, "Name of the cloud-init drive. By default each configuration has a drive of its own, named after the resource like `etcd-1-cloud-init-5f2c91-8b6c5aa`, which is swapped while the machine runs. With a fixed name each change of configuration rebuilds the machine.")
	a.Describe(&c.CPUMode, "libvirt's CPU mode: `host-passthrough`, `host-model`, `custom` or `maximum`. A change restarts the machine. Defaults to host-passthrough with KVM, or else QEMU's own.")
	a.Describe(&c.DomainType, "libvirt's domain type: `kvm`, or `qemu` for emulation without KVM. A change restarts the machine.")
	a.SetDefault(&c.DomainType, KVM)
	a.Describe(&c.Machine, "QEMU machine type: `pc`, or one of its versions like pc-i440fx-9.2. Others, such as q35, lack IDE, which the cloud-init drive needs. A change takes effect only when the machine is replaced for another reason.")
	a.SetDefault(&c.Machine, defaultMachine)
	a.Describe(&c.Running, "Whether the machine runs. The libvirt provider starts a machine, but does not stop it.")
	a.SetDefault(&c.Running, true)
	a.Describe(&c.Autostart, "Whether the machine starts with its host.")
	a.SetDefault(&c.Autostart, true)
}

// Annotate describes v.
func (v *Volume) Annotate(a infer.Annotator) {
	a.SetToken("index", "LibvirtVolume")
	a.Describe(&v, "A root volume to create, on top of a base volume with a cloud image: `baseVolumeId`, or `baseVolumeName`.")
	a.Describe(&v.Pool, "Pool of the volume.")
	a.Describe(&v.Size, "Size in bytes, from 67108864 (64 MiB) to 1125899906842624 (1 PiB). Defaults to the size of the base volume.")
	a.Describe(&v.BaseVolumeID, "Id of the base volume. Either this or `baseVolumeName`.")
	a.Describe(&v.BaseVolumeName, "Name of the base volume. Either this or `baseVolumeId`.")
	a.Describe(&v.BaseVolumePool, "Pool of the base volume with that name. Defaults to `pool`.")
	a.Describe(&v.Format, "Format of the volume: `qcow2` or `raw`.")
	a.SetDefault(&v.Format, defaultFormat)
}

// Annotate describes v.
func (v *DataVolume) Annotate(a infer.Annotator) {
	a.SetToken("index", "LibvirtDataVolume")
	a.Describe(&v, "A data volume to create.")
	a.Describe(&v.Pool, "Pool of the volume. A change replaces the volume, and its data are lost.")
	a.Describe(&v.Size, "Size in bytes, from 67108864 (64 MiB) to 1125899906842624 (1 PiB). A larger one grows the volume and its file system while the machine runs; a smaller one is refused.")
}

const (
	aboutIP      = "Address of the machine, IPv4 or IPv6, at which others reach it: neither of 127.0.0.0/16, link-local (169.254.0.0/16, fe80::/10) or of 0.0.0.0/8, nor that of the network itself or its broadcast address. Each interface has another."
	aboutGateway = "Address of the gateway: another one than `ip`, in the same network, or link-local with IPv6. No default route without it. At most one interface has a gateway for IPv4, and one for IPv6."
)

// Annotate describes n.
func (n *Network) Annotate(a infer.Annotator) {
	a.SetToken("index", "LibvirtNetwork")
	a.Describe(&n, "An interface on a network of libvirt, named by `networkName` or `networkId`.")
	a.Describe(&n.NetworkID, "Id of the network. Either this or `networkName`.")
	a.Describe(&n.NetworkName, "Name of the network. Either this or `networkId`.")
	a.Describe(&n.IP, aboutIP)
	a.Describe(&n.MAC, "Hardware address, six octets in hexadecimal. By default it is derived from the machine's name and address.")
	a.Describe(&n.PrefixLength, "Length of the network's prefix: 24 for 192.168.1.0/24.")
	a.Describe(&n.Gateway, aboutGateway)
	a.Describe(&n.DNSServers, "Addresses of DNS servers, each once.")
}

// Annotate describes m.
func (m *Macvtap) Annotate(a infer.Annotator) {
	a.SetToken("index", "LibvirtMacvtapInterface")
	a.Describe(&m, "A macvtap interface on an interface of the host.")
	a.Describe(&m.Interface, "Interface of the host.")
	a.Describe(&m.IP, aboutIP)
	a.Describe(&m.MAC, "Hardware address, six octets in hexadecimal. By default it is derived from the machine's name and address.")
	a.Describe(&m.PrefixLength, "Length of the network's prefix: 24 for 192.168.1.0/24.")
	a.Describe(&m.Gateway, aboutGateway)
	a.Describe(&m.DNSServers, "Addresses of DNS servers, each once.")
}

// Values lists the kinds of hypervisor.
func (DomainType) Values() []infer.EnumValue[DomainType] {
	return []infer.EnumValue[DomainType]{
		{Name: "KVM", Value: KVM, Description: "Hardware virtualization."},
		{Name: "QEMU", Value: QEMU, Description: "Emulation: slow, for tests."},
	}
}
