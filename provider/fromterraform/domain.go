package fromterraform

import (
	"slices"
	"strings"
)

// domain reads a machine on libvirt.
func (s *inventory) domain(r Resource) *Machine {
	s.use(r)
	m := &Machine{Address: r.Address, Name: r.Values.text("name"), backend: "libvirt", where: newBlock(), place: s.placeOf(r), shown: r.Shown}
	drive, hasDrive := s.driveOf(r)
	var network section
	if hasDrive {
		s.use(drive)
		m.readUserData(drive.Address+", user_data", drive.Values.text("user_data"))
		var err error
		if network, err = parse(drive.Values.text("network_config")); err != nil {
			m.problems = append(m.problems, drive.Address+", network_config: "+err.Error())
		}
	} else {
		m.problems = append(m.problems, r.Address+": its libvirt_cloudinit_disk is not in the state, so that nothing is known of what it runs")
	}
	if r.Tainted {
		m.where.note("%s is tainted: Terraform would replace it at the next apply", r.Address)
	}
	m.uri = s.places[r.Provider]
	m.where.set("uri", m.uri)
	s.number(m, "vcpus", r, "vcpu")
	s.number(m, "memory", r, "memory")
	if kind := r.Values.text("type"); kind != "" && kind != "kvm" {
		m.where.set("domainType", kind)
	}
	if autostart, has := r.Values["autostart"].(bool); has && !autostart {
		m.where.set("autostart", false)
	}
	if pool := drive.Values.text("pool"); pool != "" {
		m.where.set("cloudInitVolumePool", pool)
	} else {
		m.where.ask("cloudInitVolumePool", asked{words: "cloud init volume pool", what: "pool of libvirt for the drives", why: "there is no libvirt_cloudinit_disk in the state", example: "default"})
	}
	s.disks(m, r)
	s.interfaces(m, r, network)
	return m
}

// driveOf finds the cloud-init drive of a domain, by its id: that has a part of its own
// behind the volume's, which older providers left out in the domain.
func (s *inventory) driveOf(domain Resource) (Resource, bool) {
	id, _, _ := strings.Cut(domain.Values.text("cloudinit"), ";")
	if id == "" {
		return Resource{}, false
	}
	full := domain.Values.text("cloudinit")
	if r, has := s.find("libvirt_cloudinit_disk", func(r Resource) bool { return r.Values.text("id") == full && sameHost(r, domain) }); has {
		return r, true
	}
	return s.find("libvirt_cloudinit_disk", func(r Resource) bool {
		of, _, _ := strings.Cut(r.Values.text("id"), ";")
		return of == id && sameHost(r, domain)
	})
}

func (s *inventory) number(m *Machine, input string, r Resource, attribute string) {
	if n, is := r.Values.number(attribute); is {
		m.where.set(input, n)
	} else {
		m.where.missing(input, "%s has no whole number as %s", r.Address, attribute)
	}
}

// disks are the root volume, which is made anew, and the data volume, which stays.
func (s *inventory) disks(m *Machine, r Resource) {
	var ids []string
	for _, disk := range r.Values.blocks("disk") {
		ids = append(ids, disk.text("volume_id"))
	}
	volume := newBlock()
	root, known := Resource{}, false
	if len(ids) > 0 && ids[0] != "" {
		root, known = s.volume(ids[0], r)
	}
	if known {
		s.use(root)
		base := root.Values.text("base_volume_name")
		m.where.note("Of new machines: the base volume must have Debian 12 or 13, or Ubuntu 22.04 or 24.04. This is the old one's.")
		if pool := root.Values.text("pool"); pool != "" {
			volume.set("pool", pool)
		} else {
			volume.ask("pool", askedPool(root.Address+" has none"))
		}
		if size, is := root.Values.number("size"); is && size > 0 {
			volume.set("size", size)
		}
		volume.set("baseVolumePool", root.Values.text("base_volume_pool"))
		switch {
		case base != "":
			volume.set("baseVolumeName", base)
		case root.Values.text("base_volume_id") != "":
			volume.set("baseVolumeId", root.Values.text("base_volume_id"))
		default:
			volume.ask("baseVolumeName", askedBase("the old root volume is of no base volume"))
		}
	} else {
		volume.ask("pool", askedPool("the old root volume is not in the state"))
		volume.ask("baseVolumeName", askedBase("likewise, for the new machine: of Debian 12 or 13, or Ubuntu 22.04 or 24.04"))
	}
	m.where.set("volume", volume)
	if len(ids) == 0 {
		return
	}
	m.disks = len(ids)
	i := slices.IndexFunc(ids[1:], func(id string) bool { return id != "" })
	if i < 0 && len(ids) > 1 {
		m.where.missing("dataVolumeId", "none of the other disks of %s is a volume of libvirt", r.Address)
	}
	if i < 0 {
		return
	}
	m.where.set("dataVolumeId", ids[1+i])
	if data, has := s.volume(ids[1+i], r); has {
		s.use(data)
	}
	if len(ids) > 2 {
		m.where.note("%s has %d disks: only the root volume and the first other volume are taken over", r.Address, len(ids))
	}
}

func askedPool(why string) asked {
	return asked{words: "volume pool", what: "pool of libvirt for the root volumes", why: why, example: "default"}
}

func askedBase(why string) asked {
	return asked{words: "base volume name", what: "base volume with Debian 12 or 13, or Ubuntu 22.04 or 24.04, for the machines", why: why, example: "debian-13.qcow2"}
}

// volume is by its id, which is a path: those of other hypervisors may be the same.
func (s *inventory) volume(id string, of Resource) (Resource, bool) {
	return s.find("libvirt_volume", func(r Resource) bool { return r.Values.text("id") == id && sameHost(r, of) })
}
