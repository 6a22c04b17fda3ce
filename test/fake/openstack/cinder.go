package openstack

import (
	"net/http"
	"strings"
)

func (c *Cloud) cinder(method, path string, body object) (any, error) {
	kind, rest, _ := strings.Cut(path, "/")
	id, what, _ := strings.Cut(rest, "/")
	if kind != "volumes" {
		return nil, refuse(http.StatusNotFound, "%s %s", method, path)
	}
	if method == http.MethodPost && id == "" {
		o := inner(body, "volume")
		o["status"], o["attachments"], o["metadata"] = "available", []object{}, object{}
		return object{"volume": c.put(kind, o)}, nil
	}
	o, err := c.get(kind, id)
	switch {
	case err != nil:
		return nil, err
	case method == http.MethodDelete && text(o, "device_id") != "":
		return nil, refuse(http.StatusBadRequest, "Volume %s must not be attached", id)
	case method == http.MethodDelete:
		return nil, c.remove(kind, id)
	case what == "action":
		size, _ := inner(body, "os-extend")["new_size"].(float64)
		old, _ := o["size"].(float64)
		switch {
		case size <= old:
			return nil, refuse(http.StatusBadRequest, "New size for extend must be greater than current size")
		case c.gigabytes > 0 && c.used()+size-old > c.gigabytes:
			return nil, refuse(http.StatusRequestEntityTooLarge, "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota")
		}
		o["size"] = size
		return nil, nil
	case method == http.MethodPut:
		for key, value := range inner(body, "volume") {
			o[key] = value
		}
	}
	return object{"volume": o}, nil
}

// Quota is how many GiB all volumes may have; 0 is no limit.
func (c *Cloud) Quota(gigabytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gigabytes = float64(gigabytes)
}

// Sizes are those of volumes in GiB, by name.
func (c *Cloud) Sizes() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]int{}
	for _, o := range c.objects["volumes"] {
		size, _ := o["size"].(float64)
		all[text(o, "name")] = int(size)
	}
	return all
}

func (c *Cloud) used() (gigabytes float64) {
	for _, o := range c.objects["volumes"] {
		size, _ := o["size"].(float64)
		gigabytes += size
	}
	return gigabytes
}
