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
	a.Describe(&c, "A virtual machine that is an OpenStack instance. Its user data cannot change while it runs: a change of the configuration creates another instance.")
	a.Describe(&c.ImageID, "Id of an image: a cloud image of Debian 12 or 13, or Ubuntu 22.04 or 24.04. A change creates another instance. Either this or `volumeId`.")
	a.Describe(&c.VolumeID, "Id of a volume to boot from, created from such an image. It is kept unchanged when the instance is rebuilt. Either this or `imageId`.")
	a.Describe(&c.FlavorID, "Id of the flavor. A change creates another instance.")
	a.Describe(&c.NetworkPort, "The network port of the machine, with its address. It is kept when the instance is rebuilt.")
	a.Describe(&c.KeypairName, "Name of a Nova key pair. For information only: logins use `sshAdminPublicKey`.")
	a.Describe(&c.DataVolumeID, "Id of an existing data volume. The machine finds it by the label of its file system, and formats it only if it is blank. Not together with `dataVolume`.")
	a.Describe(&c.DataVolume, "Data volume to create. It is kept when the instance is rebuilt. Not together with `dataVolumeId`.")
	a.Describe(&c.DataDevice, "Device name of the data volume on the machine, used while it is blank. It differs if the flavor has swap or an ephemeral disk, or the image uses another disk bus.")
	a.SetDefault(&c.DataDevice, defaultDataDevice)
	a.Describe(&c.ServerGroupID, "Id of a server group, by whose policy Nova places the instance. It is looked up in preview. Without it, the machines of a cluster share a new group with the policy anti-affinity.")
	a.Describe(&c.AvailabilityZone, "Availability zone of the instance. Nova chooses without it.")
	a.Describe(&c.ConfigDrive, "Whether user data is on a config drive, which only root can read. Otherwise cloud-init reads it from the metadata service, over the network.")
	a.SetDefault(&c.ConfigDrive, true)
	a.Describe(&c.Namespace, "Suffix of the names in OpenStack: the instance is `<name>-<namespace>`. The machine's host name has no suffix.")
}

// Annotate describes p.
func (p *NetworkPort) Annotate(a infer.Annotator) {
	a.SetToken("index", "OpenstackNetworkPort")
	a.Describe(&p, "An existing port (`id`), or one to create (`networkId` and `subnetId`).")
	a.Describe(&p.ID, "Id of the port. Either this or `networkId`.")
	a.Describe(&p.IP, "Address of the machine, IPv4 or IPv6: the first address of an existing port, or the fixed address of a new one. Services bind and advertise it. Neither of 127.0.0.0/16 nor link-local (169.254.0.0/16, fe80::/10).")
	a.Describe(&p.NetworkID, "Id of the network of a new port. Requires `subnetId`. Either this or `id`.")
	a.Describe(&p.SubnetID, "Id of the subnet of `ip`.")
	a.Describe(&p.SecurityGroupIDs, "Ids of the security groups of a new port. Defaults to the project's group `default`, or the groups that a cluster creates.")
}

// Annotate describes v.
func (v *DataVolume) Annotate(a infer.Annotator) {
	a.SetToken("index", "OpenstackDataVolume")
	a.Describe(&v, "A data volume to create.")
	a.Describe(&v.Size, "Size in GiB, from 1 to 1048576 (1 PiB). It may be increased, for which the instance is rebuilt; Cinder cannot shrink a volume.")
	a.Describe(&v.Type, "Volume type. Cinder's default without it. A change replaces the volume, and its data are lost.")
	a.Describe(&v.AvailabilityZone, "Availability zone of the volume. Cinder chooses without it. A change replaces the volume, and its data are lost.")
}
