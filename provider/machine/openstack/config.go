// Package openstack makes machines as instances of OpenStack.
//
// A Config is the `openstack` input of a component; a Builder makes of it the
// port, the data volume and the instance. A running instance takes no new user
// data: what changes makes another instance, with the same port and data volume.
package openstack

// Config describes an instance.
type Config struct {
	ImageID          *string     `pulumi:"imageId,optional"`
	VolumeID         *string     `pulumi:"volumeId,optional"`
	FlavorID         string      `pulumi:"flavorId"`
	NetworkPort      NetworkPort `pulumi:"networkPort"`
	KeypairName      *string     `pulumi:"keypairName,optional"`
	DataVolumeID     *string     `pulumi:"dataVolumeId,optional"`
	DataVolume       *DataVolume `pulumi:"dataVolume,optional"`
	DataDevice       *string     `pulumi:"dataDevice,optional"`
	ServerGroupID    *string     `pulumi:"serverGroupId,optional"`
	AvailabilityZone *string     `pulumi:"availabilityZone,optional"`
	ConfigDrive      *bool       `pulumi:"configDrive,optional"`
	Namespace        *string     `pulumi:"namespace,optional"`
}

// NotOnTheMachine are the inputs of a Config that no document for the machine depends on.
// They come from other resources, and are unknown while these are being replaced.
var NotOnTheMachine = []string{
	"imageId", "volumeId", "flavorId", "keypairName", "dataVolumeId", "dataVolume.type", "dataVolume.availabilityZone",
	"serverGroupId", "availabilityZone", "namespace", "networkPort.id", "networkPort.networkId", "networkPort.subnetId", "networkPort.securityGroupIds",
}

// NetworkPort is a port that is there, or one to make.
type NetworkPort struct {
	ID               *string  `pulumi:"id,optional"`
	IP               string   `pulumi:"ip"`
	NetworkID        *string  `pulumi:"networkId,optional"`
	SubnetID         *string  `pulumi:"subnetId,optional"`
	SecurityGroupIDs []string `pulumi:"securityGroupIds,optional"`
}

// DataVolume is a data volume to make.
type DataVolume struct {
	Size             int     `pulumi:"size"`
	Type             *string `pulumi:"type,optional"`
	AvailabilityZone *string `pulumi:"availabilityZone,optional"`
}

const (
	defaultDataDevice = "/dev/vdb" // the second disk, where there is neither swap nor an ephemeral one

	// MostUserData is what Nova takes of user data, in base 64.
	MostUserData = 65535
)
