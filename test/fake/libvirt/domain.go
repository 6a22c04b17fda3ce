package main

import (
	"crypto/rand"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// createDomain defines and starts a machine. As in libvirt, one that fails to
// start (injected as "start") stays defined, though not in the state.
func createDomain(s *server, c call) (string, props, error) {
	disk, err := s.cloudInitOf(c)
	if err != nil {
		return "", nil, err
	}
	id := uuid.NewString()
	interfaces, err := networkInterfaces(c)
	if err != nil {
		return "", nil, err
	}
	computed := props{"arch": "x86_64", "machine": "pc", "emulator": "/usr/bin/qemu-system-x86_64"}
	if !c.props.has("autostart") {
		computed["autostart"] = false
	}
	if len(interfaces) > 0 {
		computed["networkInterfaces"] = interfaces
	}
	if err := s.world.Create(s.domain(c, id)); err != nil {
		return "", nil, err
	}
	if err := s.world.Injected("start", "Domain", c.name); err != nil {
		return "", nil, err
	}
	if s.machines != nil {
		if err := s.machines.up(c, disk, interfaces); err != nil {
			return "", nil, err
		}
	}
	return id, computed, nil
}

// updateDomain changes what can be changed in a running machine: of what we
// use, only the disk in its cloud-init drive.
func updateDomain(s *server, c call) error {
	before, exists, err := s.world.Get(s.host, "domains", c.name)
	if err != nil {
		return err
	}
	if !exists {
		return fmt.Errorf("error retrieving libvirt domain by update: no domain %q on %s", c.name, s.host)
	}
	disk, err := s.cloudInitOf(c)
	if err != nil {
		return err
	}
	if err := s.world.Put(s.domain(c, c.id)); err != nil {
		return err
	}
	if s.machines == nil || props(before.Props).text("cloudinit") == c.props.text("cloudinit") {
		return nil
	}
	return s.machines.reseed(c, disk)
}

func removeDomain(s *server, c call) error {
	exists, err := domainExists(s, c)
	if err != nil {
		return err
	}
	if !exists {
		return errGone
	}
	if s.machines != nil {
		if err := s.machines.down(c); err != nil {
			return err
		}
	}
	if err := s.world.Remove(s.host, "domains", c.name); err != nil {
		return err
	}
	return s.world.Ended(c.id)
}

func domainExists(s *server, c call) (bool, error) {
	o, exists, err := s.world.Get(s.host, "domains", c.name)
	return exists && o.ID == c.id, err
}

// domainSeen is what somebody else may have changed: a machine that is off.
func domainSeen(s *server, c call) props {
	if o, _, err := s.world.Get(s.host, "domains", c.name); err != nil || o.Props["running"] != false {
		return nil
	}
	return props{"running": false}
}

func (s *server) domain(c call, id string) hypervisor.Object {
	return hypervisor.Object{Host: s.host, Kind: "domains", Name: c.name, Type: "Domain", ID: id, Props: c.props}
}

// cloudInitOf finds the disk in a domain's cloud-init drive.
func (s *server) cloudInitOf(c call) (props, error) {
	id := c.props.text("cloudinit")
	if id == "" {
		return nil, nil
	}
	path, _, ok := strings.Cut(id, ";")
	if !ok {
		return nil, fmt.Errorf("%s is not a valid key", id)
	}
	objects, err := s.world.Objects()
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if o.Host == s.host && o.Kind == "volumes" && strings.HasPrefix(o.ID, path+";") {
			return o.Props, nil
		}
	}
	return nil, fmt.Errorf("can't retrieve volume %s", path)
}

// networkInterfaces fills in the hardware addresses.
func networkInterfaces(c call) ([]any, error) {
	var interfaces []any
	for _, given := range c.props.objects("networkInterfaces") {
		nic := map[string]any(maps.Clone(given))
		mac := given.text("mac")
		if mac == "" {
			random := make([]byte, 3)
			if _, err := rand.Read(random); err != nil {
				return nil, err
			}
			mac = fmt.Sprintf("52:54:00:%02x:%02x:%02x", random[0], random[1], random[2])
		}
		nic["mac"] = strings.ToUpper(mac)
		interfaces = append(interfaces, nic)
	}
	return interfaces, nil
}
