package openstack

import "github.com/pulumi/pulumi-go-provider/infer"

var (
	_ infer.Annotated = (*Config)(nil)
	_ infer.Annotated = (*NetworkPort)(nil)
	_ infer.Annotated = (*DataVolume)(nil)
)

// Annotate describes c.
func (c *Config) Annotate(a infer.Annotator) {
	a.SetToken("index", "OpenstackMachine")
	a.Describe(&c, "A virtual machine that is an instance of OpenStack. Its user data cannot change while it runs: what does not fit it any more makes another instance.")
	a.Describe(&c.ImageID, "Id of an image: a cloud image of Debian 12 or 13, or Ubuntu 22.04 or 24.04. A change makes another instance. Either this or `volumeId`.")
	a.Describe(&c.VolumeID, "Id of a volume to boot from, made of such an image. It stays as it is when the instance is rebuilt. Either this or `imageId`.")
	a.Describe(&c.FlavorID, "Id of the flavor. A change makes another instance.")
	a.Describe(&c.NetworkPort, "The port that connects the machine, and its address. It outlives the instance.")
	a.Describe(&c.KeypairName, "Name of a key pair that Nova is to record with the instance. Who may log in is said by `sshAdminPublicKey`.")
	a.Describe(&c.DataVolumeID, "Id of a data volume that is there. The machine knows it by the label of its file system, and formats it only if it is blank. Not together with `dataVolume`.")
	a.Describe(&c.DataVolume, "Data volume to make. It outlives the instance. Not together with `dataVolumeId`.")
	a.Describe(&c.DataDevice, "Device that a blank data volume is on the machine. Another one where the flavor has swap or an ephemeral disk, or the image asks for another bus.")
	a.SetDefault(&c.DataDevice, defaultDataDevice)
	a.Describe(&c.ServerGroupID, "Id of a server group, by whose policy Nova places the instance. It is looked up in preview. Machines of a cluster that are not given one share one that is made, with the policy anti-affinity.")
	a.Describe(&c.AvailabilityZone, "Availability zone of the instance. Nova chooses without it.")
	a.Describe(&c.ConfigDrive, "Whether user data comes on a drive, which only root can read. Without it, cloud-init asks the metadata service, which is on the network.")
	a.SetDefault(&c.ConfigDrive, true)
	a.Describe(&c.Namespace, "Suffix of the names in OpenStack: the instance is `<name>-<namespace>`. The machine's own name is without it.")
}

// Annotate describes p.
func (p *NetworkPort) Annotate(a infer.Annotator) {
	a.SetToken("index", "OpenstackNetworkPort")
	a.Describe(&p, "A port that is there, by its `id`, or one to make: on `networkId` and `subnetId`.")
	a.Describe(&p.ID, "Id of the port. Either this or `networkId`.")
	a.Describe(&p.IP, "Address of the machine, IPv4 or IPv6: the first of the port, or the one that the port to make is to have. Services bind and advertise it.")
	a.Describe(&p.NetworkID, "Id of the network of a port to make. Goes with `subnetId`. Either this or `id`.")
	a.Describe(&p.SubnetID, "Id of the subnet that has `ip`.")
	a.Describe(&p.SecurityGroupIDs, "Ids of the security groups of a port to make. The project's group `default` without them, unless a cluster makes some.")
}

// Annotate describes v.
func (v *DataVolume) Annotate(a infer.Annotator) {
	a.SetToken("index", "OpenstackDataVolume")
	a.Describe(&v, "A data volume to make.")
	a.Describe(&v.Size, "Size in GiB. It may grow, and the instance is rebuilt for it; Cinder lets none shrink.")
	a.Describe(&v.Type, "Volume type. Cinder's default without it. A change replaces the volume, and what it holds is lost.")
	a.Describe(&v.AvailabilityZone, "Availability zone of the volume. Cinder chooses without it. A change replaces the volume, and what it holds is lost.")
}
