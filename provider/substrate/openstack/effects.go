package openstack

import "github.com/pulumi-quorum/pulumi-quorum/provider/state"

// Static is for Nova, which hands user data to an instance once.
func (Substrate) Static() string { return "OpenStack hands nothing new to an instance that runs" }

// Effects are what a change of the Config may do.
func (s Substrate) Effects(name string) map[string]string {
	c := s.Config
	all := map[string]string{
		state.Anew: state.Text(name, c.ImageID, c.VolumeID, c.FlavorID, c.KeypairName, c.DataVolumeID, c.DataVolume != nil,
			c.ServerGroupID, c.AvailabilityZone, c.ConfigDrive, c.NetworkPort.ID, c.NetworkPort.NetworkID, c.NetworkPort.SubnetID),
		state.Live + "the security groups of its port": state.Text(c.NetworkPort.SecurityGroupIDs),
		state.Live + "its name in OpenStack":           state.Text(c.Namespace),
	}
	if v := c.DataVolume; v != nil {
		all[state.Anew+", with more room on its data volume"] = state.Text(v.Size)
		all[state.Rebuild+"the data volume, and what it holds is lost"] = state.Text(v.Type, v.AvailabilityZone)
	}
	return all
}
