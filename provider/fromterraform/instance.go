package fromterraform

// instance reads a machine on OpenStack.
func (s *inventory) instance(r Resource) *Machine {
	s.use(r)
	m := &Machine{Address: r.Address, Name: r.Values.text("name"), backend: "openstack", where: newBlock(), place: s.placeOf(r)}
	if source, note, has := s.renderedAs(r, r.Values.text("user_data")); has {
		s.use(source)
		m.readUserData(source.Address+", rendered", source.Values.text("rendered"))
		if note != "" {
			m.where.note("%s", note)
		}
	} else {
		m.problems = append(m.problems, r.Address+": of its user data the state has only a hash, and no template_cloudinit_config or cloudinit_config that has it")
	}
	if r.Tainted {
		m.where.note("%s is tainted: Terraform would replace it at the next apply", r.Address)
	}
	if flavor := r.Values.text("flavor_id"); flavor != "" {
		m.where.set("flavorId", flavor)
	} else {
		m.where.ask("flavorId", asked{words: "flavor id", what: "flavor of the machines", why: "the instance has none in the state", example: "m1.small"})
	}
	m.keypair = r.Values.text("key_pair")
	m.where.set("keypairName", m.keypair)
	m.where.set("availabilityZone", r.Values.text("availability_zone"))
	for _, hints := range r.Values.blocks("scheduler_hints") {
		m.where.set("serverGroupId", hints.text("group"))
		if group, has := s.find("openstack_compute_servergroup_v2", func(g Resource) bool { return g.Values.text("id") == hints.text("group") }); has {
			s.use(group)
		}
	}
	s.blockDevices(m, r)
	s.port(m, r)
	return m
}

// blockDevices are what the instance boots from, and the data volume, which stays.
func (s *inventory) blockDevices(m *Machine, r Resource) {
	boots, data := false, []string{}
	for _, device := range r.Values.blocks("block_device") {
		place, _ := device.number("boot_index")
		if device.text("source_type") != "volume" {
			continue
		}
		if place == 0 {
			boots = true
		} else {
			data = append(data, device.text("uuid"))
		}
	}
	for _, attached := range s.of("openstack_compute_volume_attach_v2") {
		if attached.Values.text("instance_id") == r.Values.text("id") && !attached.Data {
			s.use(attached)
			data = append(data, attached.Values.text("volume_id"))
		}
	}
	image := r.Values.text("image_id")
	switch {
	case boots:
		m.where.ask("imageId", askedImage("the old machine boots from a volume, which stays as it is: give an image, or a fresh volume as volumeId in place of it"))
	case image == "" || !looksLikeID(image):
		m.where.ask("imageId", askedImage("the old machine has none in the state"))
	default:
		m.where.note("The new machine's image: it must be of Debian 12 or 13, or Ubuntu 22.04 or 24.04. This is the old one's.")
		m.where.set("imageId", image)
	}
	if len(data) > 0 {
		m.where.set("dataVolumeId", data[0])
	}
	if len(data) > 1 {
		m.where.note("%s has %d more volumes: only the first is taken over", r.Address, len(data))
	}
	for _, id := range data {
		if volume, has := s.find("openstack_blockstorage_volume_v3", func(v Resource) bool { return v.Values.text("id") == id }); has {
			s.use(volume)
		}
	}
}

// looksLikeID tells ids from what the provider writes for machines that boot from volumes.
func looksLikeID(s string) bool { return len(s) == 36 || len(s) == 32 }

func askedImage(why string) asked {
	return asked{words: "image id", what: "image of Debian 12 or 13, or Ubuntu 22.04 or 24.04, for the machines", why: why, example: "00000000-0000-0000-0000-000000000000"}
}

// port is the network port, with its address, which stays.
func (s *inventory) port(m *Machine, r Resource) {
	b := newBlock()
	nics := r.Values.blocks("network")
	var id, ip string
	if len(nics) > 0 {
		id, ip = nics[0].text("port"), nics[0].text("fixed_ip_v4")
	}
	if port, has := s.find("openstack_networking_port_v2", func(p Resource) bool { return id != "" && p.Values.text("id") == id }); has {
		s.use(port)
		if all := port.Values.texts("all_fixed_ips"); len(all) > 0 {
			ip = all[0]
		}
	}
	if id != "" {
		b.set("id", id)
	} else {
		b.ask("id", asked{words: "port id", what: "network port, in OpenStack,", why: r.Address + " has no port of its own: if Nova made one, it deletes it with the machine", example: "00000000-0000-0000-0000-000000000000", own: true})
	}
	if ip != "" {
		b.set("ip", ip)
		m.addresses = append(m.addresses, ip)
	} else {
		b.ask("ip", asked{words: "ip", what: "address", why: r.Address + " has none in the state", example: "10.0.0.5", own: true})
	}
	m.where.set("networkPort", b)
	if len(nics) > 1 {
		m.where.note("%s has %d networks: only the first is taken over", r.Address, len(nics))
	}
}
