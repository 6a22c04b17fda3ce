package main

import (
	"errors"
	"fmt"
	"path"

	"github.com/google/uuid"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// libvirtKinds behave as provider 0.8.3 does, except where a comment says
// otherwise.
var libvirtKinds = map[string]kind{
	"libvirt:index/volume:Volume": {
		named: true, defaults: props{"pool": "default"},
		create: createVolume, update: growVolume, remove: removeVolume, exists: volumeExists, seen: volumeSeen,
	},
	"libvirt:index/cloudInitDisk:CloudInitDisk": {
		named: true, defaults: props{"pool": "default"},
		create: createCloudInitDisk, remove: removeVolume, exists: volumeExists,
	},
	"libvirt:index/domain:Domain": {
		named:    true,
		defaults: props{"memory": 512, "vcpu": 1, "type": "kvm", "running": true, "qemuAgent": false, "fwCfgName": "opt/com.coreos/config"},
		create:   createDomain, update: updateDomain, remove: removeDomain, exists: domainExists, seen: domainSeen,
	},
	"libvirt:index/network:Network": {
		named: true, create: createOther("networks"), remove: removeOther("networks"), exists: otherExists("networks"),
	},
	"libvirt:index/pool:Pool": {
		named: true, create: createOther("pools"), remove: removeOther("pools"), exists: otherExists("pools"),
	},
}

// volumePath is also the key under which libvirt knows a volume.
func volumePath(c call) string {
	return path.Join("/var/lib/libvirt/images", c.props.text("pool"), c.name)
}

// createVolume refuses a name that is taken. The real provider takes over the
// volume it finds, and a later delete of the first resource removes the disk of
// the second: the fake makes that mistake visible.
func createVolume(s *server, c call) (string, props, error) {
	computed := props{}
	if !c.props.has("size") {
		computed["size"] = 3 << 30
	}
	if !c.props.has("format") {
		computed["format"] = "qcow2"
	}
	return volumePath(c), computed, s.world.Create(s.volume(c, volumePath(c)))
}

// sizes are those that a volume has and is to have, if both are known.
func sizes(c call) (has, wanted float64, are bool) {
	has, had := c.state["size"].(float64)
	wanted, given := c.props["size"].(float64)
	return has, wanted, c.typ == "libvirt:index/volume:Volume" && had && given
}

// grown tells whether an input is a size that is larger now, or not known yet, which the plugin of this project takes
// for a volume that is there.
func grown(c call, key string) bool {
	has, wanted, are := sizes(c)
	_, notKnown := c.props[key].(unknown)
	return key == "size" && (are && wanted > has || notKnown)
}

// tooSmall is how the plugin of this project refuses that a volume becomes smaller, unless it is a copy, or another one.
func tooSmall(c call) error {
	has, wanted, are := sizes(c)
	isCopy := c.props.has("source") || c.props.has("baseVolumeId") || c.props.has("baseVolumeName")
	if !are || wanted >= has || isCopy || c.props.text("name") != c.state.text("name") || c.props.text("pool") != c.state.text("pool") {
		return nil
	}
	gib := func(size float64) string { return fmt.Sprintf("%.0f (%.4g GiB)", size, size/(1<<30)) }
	return fmt.Errorf("size: must be %s or more, not %s: a volume is not made smaller. Set the size that it has, or give the machine "+
		"another volume, which is empty: by another name or pool, or by --replace", gib(has), gib(wanted))
}

// volumeSeen is what somebody else may have changed: the size.
func volumeSeen(s *server, c call) props {
	volume, _, err := s.world.Get(s.host, "volumes", volumeName(c))
	if size, has := volume.Props["size"].(float64); err == nil && has && size != c.props["size"] {
		return props{"size": size}
	}
	return nil
}

// growVolume keeps the volume. One that somebody has enlarged is not made smaller.
func growVolume(s *server, c call) error {
	volume, exists, err := s.world.Get(s.host, "volumes", volumeName(c))
	if err != nil || !exists {
		return errors.Join(err, fmt.Errorf("can't retrieve volume %s", c.id))
	}
	if has, wanted := props(volume.Props).number("size"), c.props.number("size"); has > wanted {
		return fmt.Errorf("the volume %s has %.0f bytes already, and is not made smaller: set its size to as many", c.name, has)
	}
	volume.Props = c.props
	return s.world.Put(volume)
}

// createCloudInitDisk gives the disk an id of its volume's path and a UUID.
func createCloudInitDisk(s *server, c call) (string, props, error) {
	id := volumePath(c) + ";" + uuid.NewString()
	return id, nil, s.world.Create(s.volume(c, id))
}

func (s *server) volume(c call, id string) hypervisor.Object {
	return hypervisor.Object{
		Host: s.host, Kind: "volumes", Name: volumeName(c), Type: shortName(c.typ), ID: id, Props: c.props,
	}
}

func volumeName(c call) string { return c.props.text("pool") + "/" + c.name }

// removeVolume puts up with a volume that is gone already.
func removeVolume(s *server, c call) error {
	exists, err := volumeExists(s, c)
	if err != nil || !exists {
		return err
	}
	if s.machines != nil {
		if err := s.machines.detach(volumePath(c)); err != nil {
			return err
		}
	}
	return s.world.Remove(s.host, "volumes", volumeName(c))
}

func volumeExists(s *server, c call) (bool, error) {
	_, exists, err := s.world.Get(s.host, "volumes", volumeName(c))
	return exists, err
}

func createOther(kind string) func(*server, call) (string, props, error) {
	return func(s *server, c call) (string, props, error) {
		id := uuid.NewString()
		return id, nil, s.world.Create(hypervisor.Object{
			Host: s.host, Kind: kind, Name: c.name, Type: shortName(c.typ), ID: id, Props: c.props,
		})
	}
}

func removeOther(kind string) func(*server, call) error {
	return func(s *server, c call) error { return s.world.Remove(s.host, kind, c.name) }
}

func otherExists(kind string) func(*server, call) (bool, error) {
	return func(s *server, c call) (bool, error) {
		_, exists, err := s.world.Get(s.host, kind, c.name)
		return exists, err
	}
}
