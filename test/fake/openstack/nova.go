package openstack

import (
	"encoding/base64"
	"net/http"
	"strings"
)

const mostUserData = 65535

func (c *Cloud) nova(method, path string, body object) (any, error) {
	kind, rest, _ := strings.Cut(path, "/")
	id, what, _ := strings.Cut(rest, "/")
	switch {
	case kind == "flavors":
		o, err := c.get(kind, id)
		return object{"flavor": o}, err
	case kind == "os-server-groups" && method == http.MethodPost:
		o := inner(body, "server_group")
		if o["policies"] == nil && o["policy"] != nil {
			o["policies"] = []any{o["policy"]}
		}
		return object{"server_group": c.put(kind, o)}, nil
	case kind == "os-server-groups" && method == http.MethodDelete:
		return nil, c.remove(kind, id)
	case kind == "os-server-groups":
		o, err := c.get(kind, id)
		return object{"server_group": o}, err
	case kind == "servers" && method == http.MethodPost && id == "":
		return c.boot(inner(body, "server"), text(inner(body, "os:scheduler_hints"), "group"))
	case kind == "servers" && what == "":
		return c.server(method, id, body)
	case kind == "servers" && what == "tags":
		return object{"tags": []string{}}, nil
	case kind == "servers" && what == "action":
		o, err := c.get(kind, id)
		if _, stops := body["os-stop"]; err == nil && stops {
			o["status"] = "SHUTOFF"
			return nil, nil
		}
		if err == nil {
			err = refuse(http.StatusNotImplemented, "action %v", body)
		}
		return nil, err
	}
	return nil, refuse(http.StatusNotFound, "%s %s", method, path)
}

func (c *Cloud) server(method, id string, body object) (any, error) {
	o, err := c.get("servers", id)
	if err != nil {
		return nil, err
	}
	switch method {
	case http.MethodDelete:
		c.release(id)
		return nil, c.remove("servers", id)
	case http.MethodPut:
		o["name"] = inner(body, "server")["name"]
	case http.MethodGet:
		if o["status"] == "BUILD" {
			defer func() { o["status"] = "ACTIVE" }()
		}
	}
	shown := object{}
	for key, value := range o {
		if key != "user_data" { // as with most microversions
			shown[key] = value
		}
	}
	return object{"server": shown}, nil
}

// release frees what an instance used.
func (c *Cloud) release(id string) {
	for _, kind := range []string{"ports", "volumes"} {
		for _, o := range c.objects[kind] {
			if o["device_id"] == id {
				o["device_id"], o["status"] = "", map[string]string{"ports": "DOWN", "volumes": "available"}[kind]
				o["attachments"] = []object{}
			}
		}
	}
}

// boot makes an instance of what is free.
func (c *Cloud) boot(o object, group string) (any, error) {
	data := text(o, "user_data")
	if _, err := base64.StdEncoding.DecodeString(data); err != nil || len(data) > mostUserData {
		return nil, refuse(http.StatusBadRequest, "Invalid input for field/attribute user_data: %d bytes is too long, or no base 64", len(data))
	}
	if _, err := c.get("flavors", text(o, "flavorRef")); err != nil {
		return nil, refuse(http.StatusBadRequest, "Flavor %v could not be found", o["flavorRef"])
	}
	if image := text(o, "imageRef"); image != "" {
		if _, err := c.get("images", image); err != nil {
			return nil, refuse(http.StatusBadRequest, "Image %s could not be found", image)
		}
		o["image"] = object{"id": image}
	}
	if key := text(o, "key_name"); key != "" && c.objects["keypairs"][key] == nil {
		return nil, refuse(http.StatusBadRequest, "Invalid key_name provided")
	}
	host, err := c.host(group)
	if err != nil {
		return nil, err
	}
	used, err := c.parts(o)
	if err != nil {
		return nil, err
	}
	o["host"], o["group"], o["status"], o["flavor"] = host, group, "BUILD", object{"id": o["flavorRef"]}
	o["security_groups"], o["created"], o["updated"] = []object{}, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"
	o["OS-EXT-AZ:availability_zone"] = "nova"
	if zone := text(o, "availability_zone"); zone != "" {
		o["OS-EXT-AZ:availability_zone"] = zone
	}
	c.put("servers", o)
	for _, part := range used {
		part["device_id"], part["status"] = o["id"], "in-use"
		part["attachments"] = []object{{"id": part["id"], "attachment_id": part["id"], "server_id": o["id"], "device": "/dev/vdb"}}
	}
	return object{"server": o}, nil
}

// host is one that the group's policy allows.
func (c *Cloud) host(group string) (int, error) {
	taken := map[int]bool{}
	if group != "" {
		if _, err := c.get("os-server-groups", group); err != nil {
			return 0, refuse(http.StatusBadRequest, "Instance group %s could not be found", group)
		}
		for _, o := range c.objects["servers"] {
			if o["group"] == group {
				taken[o["host"].(int)] = true
			}
		}
	}
	for host := range hosts {
		if !taken[host] {
			return host, nil
		}
	}
	return 0, refuse(http.StatusConflict, "No valid host was found")
}

// parts are the ports and volumes of an instance, if they are there and free.
func (c *Cloud) parts(o object) (used []object, err error) {
	addresses := []object{}
	for _, n := range list(o, "networks") {
		port, err := c.get("ports", text(n, "port"))
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "Port %v could not be found", n["port"])
		}
		used = append(used, port)
		for _, ip := range list(port, "fixed_ips") {
			addresses = append(addresses, object{"addr": ip["ip_address"], "version": 4, "OS-EXT-IPS:type": "fixed", "OS-EXT-IPS-MAC:mac_addr": port["mac_address"]})
		}
	}
	o["addresses"] = object{"private": addresses}
	for _, disk := range list(o, "block_device_mapping_v2") {
		if disk["source_type"] != "volume" {
			continue
		}
		volume, err := c.get("volumes", text(disk, "uuid"))
		if err != nil {
			return nil, refuse(http.StatusBadRequest, "Block Device Mapping is Invalid: failed to get volume %v", disk["uuid"])
		}
		used = append(used, volume)
	}
	for _, part := range used {
		if text(part, "device_id") != "" {
			return nil, refuse(http.StatusConflict, "%v is in use by instance %v", part["id"], part["device_id"])
		}
	}
	return used, nil
}
