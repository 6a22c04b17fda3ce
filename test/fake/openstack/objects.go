package openstack

import (
	"fmt"
	"net/http"
	"strings"
)

// object is a thing of OpenStack, with the names that its API gives it.
type object = map[string]any

// put keeps an object, with an id unless it has one.
func (c *Cloud) put(kind string, o object) object {
	if o["id"] == nil {
		c.made++
		o["id"] = fmt.Sprintf("00000000-0000-4000-9000-%012d", c.made)
		c.log = append(c.log, strings.TrimSpace("create "+kind+" "+text(o, "name")))
	}
	if c.objects[kind] == nil {
		c.objects[kind] = map[string]object{}
	}
	c.objects[kind][text(o, "id")] = o
	return o
}

func (c *Cloud) get(kind, id string) (object, error) {
	if o, has := c.objects[kind][id]; has {
		return o, nil
	}
	return nil, refuse(http.StatusNotFound, "%s %s could not be found", kind, id)
}

func (c *Cloud) remove(kind, id string) error {
	o, err := c.get(kind, id)
	if err == nil {
		delete(c.objects[kind], id)
		c.log = append(c.log, strings.TrimSpace("delete "+kind+" "+text(o, "name")))
	}
	return err
}

func text(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

func inner(o object, key string) object {
	in, _ := o[key].(object)
	return in
}

func list(o object, key string) (all []object) {
	items, _ := o[key].([]any)
	for _, item := range items {
		all = append(all, item.(object))
	}
	return all
}
