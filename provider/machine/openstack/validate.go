package openstack

import (
	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with c, in field order.
func (c Config) Validate() check.List {
	var l check.List
	l.ExactlyOne("", "imageId", c.ImageID != nil, "volumeId", c.VolumeID != nil)
	for _, id := range []struct {
		path  string
		value *string
	}{{"imageId", c.ImageID}, {"volumeId", c.VolumeID}, {"dataVolumeId", c.DataVolumeID}, {"serverGroupId", c.ServerGroupID}} {
		if id.value != nil {
			l.Check(id.path, isUUID(*id.value))
		}
	}
	if c.VolumeID != nil {
		l.Distinct([]string{"volumeId", "dataVolumeId"}, []string{*c.VolumeID, ptr.Value(c.DataVolumeID)})
	}
	l.Required("flavorId", c.FlavorID) // which an operator may name as they like
	l.Under("networkPort", c.NetworkPort.validate())
	if c.DataVolumeID != nil && c.DataVolume != nil {
		l.Add("dataVolume", "must not be given together with dataVolumeId").Shape().Needing("dataVolumeId")
	}
	if c.DataVolume != nil {
		l.Check("dataVolume.size", check.VolumeGiB.Check(c.DataVolume.Size))
	}
	l.Check("dataDevice", check.AbsolutePath(ptr.Value(c.DataDevice)))
	if c.Namespace != nil {
		l.Check("namespace", check.HostName(*c.Namespace))
	}
	return l
}

func (p NetworkPort) validate() check.List {
	var l check.List
	l.ExactlyOne("", "id", p.ID != nil, "networkId", p.NetworkID != nil)
	if p.ID != nil {
		l.Check("id", isUUID(*p.ID))
	}
	l.Check("ip", check.HostIP(p.IP))
	l.Together("", "networkId", p.NetworkID != nil, "subnetId", p.SubnetID != nil)
	for _, id := range []struct {
		path  string
		value *string
	}{{"networkId", p.NetworkID}, {"subnetId", p.SubnetID}} {
		if id.value != nil {
			l.Check(id.path, isUUID(*id.value))
		}
	}
	if p.ID != nil && p.SecurityGroupIDs != nil {
		l.Add("securityGroupIds", "must not be given together with id: an existing port has its own").Shape().Needing("id")
	}
	for i, id := range p.SecurityGroupIDs {
		l.Check(check.Index("securityGroupIds", i), isUUID(id))
	}
	return l
}

// isUUID requires what OpenStack gives its things as ids.
func isUUID(id string) string {
	if check.Matches(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, id) {
		return ""
	}
	return "must be an id of OpenStack, as 1f6cb6c6-3e4c-4b0e-9d3b-2f4c1f1f3d5a, not " + check.Quote(id)
}
