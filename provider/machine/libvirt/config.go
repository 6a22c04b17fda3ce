// Package libvirt makes machines on hypervisors that libvirt manages.
//
// A Config is the `libvirt` input of a component; a Builder makes of it the
// volumes, the cloud-init drive and the domain.
package libvirt

// Config describes a virtual machine.
type Config struct {
	URI                 *string     `pulumi:"uri,optional" decides:"resources"`
	VCPUs               *int        `pulumi:"vcpus,optional"`
	Memory              *int        `pulumi:"memory,optional"`
	VolumeID            *string     `pulumi:"volumeId,optional"`
	Volume              *Volume     `pulumi:"volume,optional"`
	DataVolumeID        *string     `pulumi:"dataVolumeId,optional"`
	DataVolume          *DataVolume `pulumi:"dataVolume,optional"`
	Networks            []Network   `pulumi:"networks,optional"`
	MacvtapInterfaces   []Macvtap   `pulumi:"macvtapInterfaces,optional"`
	CloudInitVolumePool string      `pulumi:"cloudInitVolumePool"`
	CloudInitVolumeName *string     `pulumi:"cloudInitVolumeName,optional"`
	CPUMode             *string     `pulumi:"cpuMode,optional"`
	DomainType          *DomainType `pulumi:"domainType,optional"`
	Machine             *string     `pulumi:"machine,optional"`
	Running             *bool       `pulumi:"running,optional"`
	Autostart           *bool       `pulumi:"autostart,optional"`
}

// NotOnTheMachine are the inputs of a Config that no document for the machine depends on.
// They come from other resources, and are unknown while these are being replaced.
var NotOnTheMachine = []string{
	"uri", "volumeId", "volume", "dataVolumeId", "dataVolume.pool", "cloudInitVolumePool", "cloudInitVolumeName",
}

// OnFreshMachines are those that only a fresh machine takes up.
var OnFreshMachines = []string{"networks", "macvtapInterfaces"}

// Volume is a root volume to make.
type Volume struct {
	Pool           string  `pulumi:"pool" decides:"resources"`
	Size           *int    `pulumi:"size,optional" decides:"resources"`
	BaseVolumeID   *string `pulumi:"baseVolumeId,optional" decides:"resources"`
	BaseVolumeName *string `pulumi:"baseVolumeName,optional" decides:"resources"`
	BaseVolumePool *string `pulumi:"baseVolumePool,optional" decides:"resources"`
	Format         *string `pulumi:"format,optional" decides:"resources"`
}

// DataVolume is a data volume to make.
type DataVolume struct {
	Pool string `pulumi:"pool"`
	Size int    `pulumi:"size"`
}

// Network is an interface on a network of libvirt.
type Network struct {
	NetworkID    *string  `pulumi:"networkId,optional"`
	NetworkName  *string  `pulumi:"networkName,optional"`
	IP           string   `pulumi:"ip"`
	MAC          *string  `pulumi:"mac,optional"`
	PrefixLength int      `pulumi:"prefixLength"`
	Gateway      *string  `pulumi:"gateway,optional"`
	DNSServers   []string `pulumi:"dnsServers,optional"`
}

// Macvtap is an interface straight on an interface of the host.
type Macvtap struct {
	Interface    string   `pulumi:"interface"`
	IP           string   `pulumi:"ip"`
	MAC          *string  `pulumi:"mac,optional"`
	PrefixLength int      `pulumi:"prefixLength"`
	Gateway      *string  `pulumi:"gateway,optional"`
	DNSServers   []string `pulumi:"dnsServers,optional"`
}

// DomainType is the kind of hypervisor.
type DomainType string

// The kinds of hypervisor.
const (
	KVM  DomainType = "kvm"
	QEMU DomainType = "qemu"
)

const (
	defaultVCPUs     = 2
	defaultMemoryMiB = 8192
	defaultFormat    = "qcow2"
	hostCPU          = "host-passthrough"
	// The provider puts the cloud-init drive on IDE, which the newer q35 lacks.
	defaultMachine = "pc"

	dataDevice = "/dev/vdb" // the second disk
)
