package openstack

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// Machines are the instances that run.
func (c *Cloud) Machines() (all []hypervisor.Machine, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, o := range c.objects["servers"] {
		if o["status"] != "ACTIVE" {
			continue
		}
		m := hypervisor.Machine{Name: text(o, "name"), ID: id, Volume: id}
		for _, disk := range list(o, "block_device_mapping_v2") {
			if disk["source_type"] == "volume" {
				m.Volume = text(disk, "uuid")
			}
		}
		if m.UserData, err = unpack(text(o, "user_data")); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// unpack does what cloud-init does to user data.
func unpack(packed string) (string, error) {
	b, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return "", err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return "", err
	}
	whole, err := io.ReadAll(z)
	return string(whole), err
}
