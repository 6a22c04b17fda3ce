package libvirt

import (
	"net/url"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// names are what is wrong with the names of things of the hypervisor.
func (c Config) names() check.List {
	var l check.List
	if c.URI != nil {
		l.Check("uri", uri(*c.URI))
	}
	for _, id := range []struct {
		path  string
		value *string
	}{{"volumeId", c.VolumeID}, {"dataVolumeId", c.DataVolumeID}} {
		if id.value != nil {
			l.Check(id.path, notBlank(*id.value))
		}
	}
	if c.VolumeID != nil {
		l.Distinct([]string{"volumeId", "dataVolumeId"}, []string{*c.VolumeID, ptr.Value(c.DataVolumeID)})
	}
	if c.Volume != nil && c.Volume.BaseVolumeID != nil {
		l.Distinct([]string{"volume.baseVolumeId", "dataVolumeId"}, []string{*c.Volume.BaseVolumeID, ptr.Value(c.DataVolumeID)})
	}
	if v := c.Volume; v != nil {
		for _, of := range []struct {
			path  string
			value *string
		}{{"volume.baseVolumeId", v.BaseVolumeID}, {"volume.baseVolumeName", v.BaseVolumeName}, {"volume.baseVolumePool", v.BaseVolumePool}} {
			if of.value != nil {
				l.Check(of.path, notBlank(*of.value))
			}
		}
		l.Check("volume.pool", name("pool", v.Pool))
		l.Check("volume.baseVolumePool", name("pool", ptr.Value(v.BaseVolumePool)))
	}
	if c.DataVolume != nil {
		l.Check("dataVolume.pool", name("pool", c.DataVolume.Pool))
	}
	for i, n := range c.Networks {
		path := check.Index("networks", i)
		l.Check(path+".networkName", name("network", ptr.Value(n.NetworkName)))
		if n.NetworkName != nil {
			l.Check(path+".networkName", notBlank(*n.NetworkName))
		}
		if n.NetworkID != nil {
			l.Check(path+".networkId", notBlank(*n.NetworkID))
		}
	}
	for i, m := range c.MacvtapInterfaces {
		if m.Interface != "" && !check.Matches(`[^\s/:]{1,15}`, m.Interface) {
			l.Add(check.Index("macvtapInterfaces", i)+".interface", "must be the name of an interface of the host, like eth0, not %s", check.Quote(m.Interface))
		}
	}
	l.Check("cloudInitVolumePool", name("pool", c.CloudInitVolumePool))
	if n := c.CloudInitVolumeName; n != nil && (strings.ContainsAny(*n, "/\n") || strings.Trim(*n, ".") == "") {
		l.Add("cloudInitVolumeName", "must be a file name, not %s", check.Quote(*n))
	}
	if m := ptr.Value(c.Machine); !check.Matches(`pc(-.*)?`, m) || strings.HasPrefix(m, "pc-q35") {
		l.Add("machine", "must be pc, or one like pc-i440fx-9.2: the drive of cloud-init needs IDE, which others lack, not %s", check.Quote(m))
	}
	return l
}

// uri requires the connection to a hypervisor that runs QEMU. It may have a password in it.
func uri(s string) string {
	const form = "must be a connection URI of libvirt, like qemu+ssh://root@hypervisor-1/system or qemu:///system"
	u, err := url.Parse(s)
	switch {
	case err != nil || strings.Contains(s, "@") && u.Scheme == "":
		return form
	case !check.Matches(`(qemu|test)(\+[a-z0-9]+)?`, u.Scheme) || strings.Trim(u.Path, "/") == "":
		return form + ", not " + check.Quote(u.Redacted())
	}
	return ""
}

// notBlank requires more than white space.
func notBlank(s string) string {
	if strings.TrimSpace(s) == "" {
		return "must not be empty"
	}
	return ""
}

// name requires that of a thing of libvirt, which has no slashes. One that is missing is
// reported elsewhere.
func name(of, s string) string {
	if strings.ContainsAny(s, "/\n") {
		return "must be the name of a " + of + " of libvirt, not " + check.Quote(s)
	}
	return ""
}
