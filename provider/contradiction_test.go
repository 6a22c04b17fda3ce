package provider

import (
	"fmt"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// contradictions are what a preview shows as known, and turns out otherwise.
func contradictions(shown, turned outcome) (all []string) {
	c := comparison{}
	for _, name := range slices.Sorted(maps.Keys(turned.children)) {
		if child, has := shown.children[name]; has {
			c.object(name, child, turned.children[name])
		} else {
			c.add("%s: is not shown", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(shown.children)) {
		if _, has := turned.children[name]; !has {
			c.add("%s: does not come", name)
		}
	}
	c.object("outputs", shown.outputs, turned.outputs)
	return c
}

type comparison []string

func (c *comparison) add(format string, args ...any) { *c = append(*c, fmt.Sprintf(format, args...)) }

func (c *comparison) object(at string, shown, turned resource.PropertyMap) {
	for _, key := range slices.Sorted(maps.Keys(turned)) {
		if _, has := shown[key]; !has && withinUnknown(shown, string(key)) {
			continue
		}
		c.value(at+"."+string(key), shown[key], turned[key])
	}
	for _, key := range slices.Sorted(maps.Keys(shown)) {
		if _, has := turned[key]; !has {
			c.value(at+"."+string(key), shown[key], resource.NewNullProperty())
		}
	}
}

// withinUnknown reports whether a key that is a path lies in something that is unknown as a whole.
func withinUnknown(shown resource.PropertyMap, path string) bool {
	for key, v := range shown {
		if bareValue(v).IsComputed() && check.Within(path, string(key)) {
			return true
		}
	}
	return false
}

func (c *comparison) value(at string, shown, turned resource.PropertyValue) {
	shown, turned = bareValue(shown), bareValue(turned)
	switch {
	case shown.IsComputed(), shown.IsNull() && turned.IsComputed(): // left out of a preview, an output is unknown
	case shown.IsObject() && turned.IsObject():
		c.object(at, shown.ObjectValue(), turned.ObjectValue())
	case shown.IsArray() && turned.IsArray() && len(shown.ArrayValue()) == len(turned.ArrayValue()):
		for i := range shown.ArrayValue() {
			c.value(fmt.Sprintf("%s[%d]", at, i), shown.ArrayValue()[i], turned.ArrayValue()[i])
		}
	case !shown.DeepEquals(turned):
		c.add("%s: shown as %.60v, turns out %.60v", at, shown, turned)
	}
}

// bareValue is v without the marks of secrets and dependencies.
func bareValue(v resource.PropertyValue) resource.PropertyValue {
	switch {
	case v.IsSecret():
		return bareValue(v.SecretValue().Element)
	case v.IsOutput() && !v.OutputValue().Known:
		return resource.MakeComputed(resource.NewProperty(""))
	case v.IsOutput():
		return bareValue(v.OutputValue().Element)
	}
	return v
}
