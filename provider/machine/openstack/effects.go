package openstack

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

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
		all[guest.Anew+", with more room on its data volume"] = guest.Text(v.Size)
		all[guest.Rebuild+"the data volume, and what it holds is lost"] = guest.Text(v.Type, v.AvailabilityZone)
	}
	return all
}
