package openstack

import (
	"encoding/base64"
	"encoding/json"
	"net/netip"
	"os"
	"path/filepath"
)

// Drive writes the files of an instance's config drive below a directory, and
// tells the hardware address of its port. Subnets are of 256 addresses, of
// which the first is the gateway's.
func (c *Cloud) Drive(id, dir string) (mac string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o, err := c.get("servers", id)
	if err != nil {
		return "", err
	}
	user, err := base64.StdEncoding.DecodeString(text(o, "user_data"))
	if err != nil {
		return "", err
	}
	port := c.objects["ports"][text(list(o, "networks")[0], "port")]
	ip := text(list(port, "fixed_ips")[0], "ip_address")
	network, err := netip.MustParseAddr(ip).Prefix(24)
	if err != nil {
		return "", err
	}
	mac = text(port, "mac_address")
	files := map[string]any{
		"user_data": user,
		"meta_data.json": object{
			"uuid": id, "name": o["name"], "hostname": text(o, "name") + ".novalocal", "launch_index": 0,
			"availability_zone": o["OS-EXT-AZ:availability_zone"], "meta": o["metadata"], "keys": []object{}, "public_keys": object{},
		},
		"network_data.json": object{
			"links": []object{{"id": "tap0", "type": "ovs", "ethernet_mac_address": mac, "mtu": 1500, "vif_id": port["id"]}},
			"networks": []object{{
				"id": "network0", "type": "ipv4", "link": "tap0", "network_id": port["network_id"], "ip_address": ip, "netmask": "255.255.255.0",
				"routes": []object{{"network": "0.0.0.0", "netmask": "0.0.0.0", "gateway": network.Addr().Next().String()}},
			}},
			"services": []object{},
		},
	}
	latest := filepath.Join(dir, "openstack", "latest")
	if err := os.MkdirAll(latest, 0o700); err != nil {
		return "", err
	}
	for name, content := range files {
		b, raw := content.([]byte)
		if !raw {
			if b, err = json.Marshal(content); err != nil {
				return "", err
			}
		}
		if err := os.WriteFile(filepath.Join(latest, name), b, 0o600); err != nil {
			return "", err
		}
	}
	return mac, nil
}
