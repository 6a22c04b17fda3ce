package members

import "github.com/pulumi-quorum/pulumi-quorum/test/fake/world"

// libvirt is the world of the fake plugins.
type libvirt struct{ *world.Watch }

func (l libvirt) Machines() ([]Machine, error) {
	objects, err := l.Objects()
	var all []Machine
	for _, domain := range objects {
		disks, _ := domain.Props["disks"].([]any)
		if domain.Type != "Domain" || len(disks) == 0 || domain.Props["running"] == false {
			continue
		}
		m := Machine{Name: domain.Name, ID: domain.ID}
		for _, o := range objects {
			switch {
			case o.Type == "CloudInitDisk" && o.ID == domain.Props["cloudinit"]:
				m.UserData, _ = o.Props["userData"].(string)
			case o.Type == "Volume" && o.Host == domain.Host && o.ID == disks[len(disks)-1].(map[string]any)["volumeId"]:
				m.Volume = o.Born
			}
		}
		all = append(all, m)
	}
	return all, err
}
