package openstack

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// singular are the names of one of each kind in Neutron's API.
var singular = map[string]string{
	"ports": "port", "networks": "network", "subnets": "subnet", "security-groups": "security_group", "security-group-rules": "security_group_rule",
}

func (c *Cloud) neutron(method, path string, query url.Values, body object) (any, error) {
	kind, id, _ := strings.Cut(path, "/")
	one, known := singular[kind]
	if !known {
		return nil, refuse(http.StatusNotFound, "%s %s", method, path)
	}
	switch {
	case method == http.MethodPost:
		o := inner(body, one)
		if err := c.fits(kind, o); err != nil {
			return nil, err
		}
		c.put(kind, o)
		if kind == "security-groups" { // Neutron lets everything out
			o["security_group_rules"] = []any{
				c.put("security-group-rules", object{"security_group_id": o["id"], "direction": "egress", "ethertype": "IPv4"}),
				c.put("security-group-rules", object{"security_group_id": o["id"], "direction": "egress", "ethertype": "IPv6"}),
			}
		}
		return object{one: o}, nil
	case method == http.MethodDelete:
		if err := c.unused(kind, id); err != nil {
			return nil, err
		}
		return nil, c.remove(kind, id)
	case id == "":
		found := []object{}
		for _, o := range c.objects[kind] {
			if want := query.Get("id"); want == "" || want == o["id"] {
				found = append(found, o)
			}
		}
		return object{strings.ReplaceAll(kind, "-", "_"): found}, nil
	}
	o, err := c.get(kind, id)
	if err == nil && method == http.MethodPut {
		for key, value := range inner(body, one) {
			o[key] = value
		}
	}
	return object{one: o}, err
}

// fits wants what an object refers to to be there, and no other like it.
func (c *Cloud) fits(kind string, o object) error {
	switch kind {
	case "ports":
		if _, err := c.get("networks", text(o, "network_id")); err != nil {
			return err
		}
		for _, wanted := range list(o, "fixed_ips") {
			if _, err := c.get("subnets", text(wanted, "subnet_id")); err != nil {
				return err
			}
			for _, other := range c.objects["ports"] {
				for _, taken := range list(other, "fixed_ips") {
					if taken["ip_address"] == wanted["ip_address"] {
						return refuse(http.StatusConflict, "IP address %v already allocated in subnet %v", wanted["ip_address"], wanted["subnet_id"])
					}
				}
			}
		}
		groups, _ := o["security_groups"].([]any)
		for _, group := range groups {
			if _, err := c.get("security-groups", fmt.Sprint(group)); err != nil {
				return err
			}
		}
		o["status"], o["mac_address"], o["device_id"] = "DOWN", fmt.Sprintf("fa:16:3e:00:00:%02x", c.made%256), ""
	case "security-group-rules":
		if _, err := c.get("security-groups", text(o, "security_group_id")); err != nil {
			return err
		}
		for _, other := range c.objects[kind] {
			same := object{}
			for key, value := range other {
				if key != "id" {
					same[key] = value
				}
			}
			if reflect.DeepEqual(same, o) {
				return refuse(http.StatusConflict, "Security group rule already exists")
			}
		}
	}
	return nil
}

func (c *Cloud) unused(kind, id string) error {
	if o := c.objects[kind][id]; kind == "ports" && text(o, "device_id") != "" {
		return refuse(http.StatusConflict, "Port %s is in use", id)
	}
	if kind != "security-groups" {
		return nil
	}
	for _, port := range c.objects["ports"] {
		groups, _ := port["security_groups"].([]any)
		for _, group := range groups {
			if group == id {
				return refuse(http.StatusConflict, "Security Group %s in use", id)
			}
		}
	}
	for rule, o := range c.objects["security-group-rules"] { // they go with it
		if o["security_group_id"] == id {
			delete(c.objects["security-group-rules"], rule)
		}
	}
	return nil
}
