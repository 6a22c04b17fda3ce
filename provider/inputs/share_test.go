package inputs

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

var machines = []Shared{{
	List: "members", Inputs: []string{"libvirt"}, Except: []string{"libvirt.data"}, Either: [][2]string{{"libvirt.volume", "libvirt.volumeId"}},
	Short: "ip", ShortFor: []Place{{Input: "libvirt", Name: "networks", List: true}},
}}

func object(pairs ...any) property.Value {
	all := map[string]property.Value{}
	for i := 0; i < len(pairs); i += 2 {
		switch v := pairs[i+1].(type) {
		case property.Value:
			all[pairs[i].(string)] = v
		case string:
			all[pairs[i].(string)] = property.New(v)
		}
	}
	return property.New(all)
}

func list(items ...property.Value) property.Value { return property.New(items) }

// shareOne is what becomes of the only member.
func shareOne(common, member property.Value) (property.Value, sources) {
	all, from, problems := share(object("libvirt", common, "members", list(member)).AsMap(), machines)
	if len(problems) > 0 {
		panic(problems[0].String())
	}
	return all.Get("members").AsArray().Get(0), from
}

// TestShareMarks keeps secrets and dependencies of the objects that values come from, and no
// more than these have.
func TestShareMarks(t *testing.T) {
	t.Parallel()
	theirs, mine := urn.URN("urn:pulumi:s::p::t::theirs"), urn.URN("urn:pulumi:s::p::t::mine")
	common := object("volume", object("pool", "p", "size", "1"), "memory", "1").WithSecret(true).WithDependencies([]urn.URN{theirs})
	own := object("libvirt", object("volume", object("size", "2")).WithDependencies([]urn.URN{mine}))
	member, _ := shareOne(common, own)
	volume := member.AsMap().Get("libvirt").AsMap().Get("volume").AsMap()
	assert.True(t, volume.Get("pool").Secret())
	assert.Equal(t, []urn.URN{theirs}, volume.Get("pool").Dependencies())
	assert.Equal(t, "2", volume.Get("size").AsString())
	assert.False(t, volume.Get("size").Secret())
	assert.Equal(t, []urn.URN{mine}, volume.Get("size").Dependencies())
	assert.True(t, member.AsMap().Get("libvirt").AsMap().Get("memory").Secret())

	whole, _ := shareOne(common, object("name", "a"))
	assert.True(t, whole.AsMap().Get("libvirt").Secret())
}

// TestShareUnknown does not know what something unknown may have in place of something known.
func TestShareUnknown(t *testing.T) {
	t.Parallel()
	unknown := property.New(property.Computed)
	member, from := shareOne(unknown, object("libvirt", object("memory", "2")))
	assert.Equal(t, "2", member.AsMap().Get("libvirt").AsMap().Get("memory").AsString(), "it can be judged")
	assert.Equal(t, map[string]string{"members[0].libvirt": "libvirt"}, from.open)
	assert.Equal(t, "libvirt.vcpus", from.of("members[0].libvirt.vcpus"))
	member, from = shareOne(object("memory", "1"), object("libvirt", unknown))
	assert.True(t, member.AsMap().Get("libvirt").IsComputed())
	assert.Equal(t, "members[0].libvirt", from.of("members[0].libvirt"))
	member, from = shareOne(object("memory", "1", "networks", unknown), object("ip", "10.0.0.1"))
	assert.True(t, member.AsMap().Get("libvirt").AsMap().Get("networks").IsComputed())
	assert.Equal(t, "libvirt.networks", from.of("members[0].libvirt.networks"))
	all, _, _ := share(object("libvirt", object(), "members", unknown).AsMap(), machines)
	assert.True(t, all.Get("members").IsComputed())
}

// TestShareSources says of each input where it is written.
func TestShareSources(t *testing.T) {
	t.Parallel()
	common := object("memory", "1", "data", "d", "volume", object("pool", "p"), "networks", list(object("gateway", "g"), object("gateway", "h")))
	member, from := shareOne(common, object("ip", "i", "libvirt", object("memory", property.New(property.Null), "volumeId", "v")))
	libvirt := member.AsMap().Get("libvirt").AsMap()
	assert.Equal(t, object("memory", "1", "volumeId", "v", "networks", list(object("gateway", "g", "ip", "i"), object("gateway", "h"))).AsMap(), libvirt)
	for path, want := range map[string]string{
		"members[0].libvirt":                     "members[0].libvirt",
		"members[0].libvirt.memory":              "libvirt.memory",
		"members[0].libvirt.volumeId":            "members[0].libvirt.volumeId",
		"members[0].libvirt.pool":                "libvirt.pool",
		"members[0].libvirt.networks[0].gateway": "libvirt.networks[0].gateway",
		"members[0].libvirt.networks[0].ip":      "members[0].ip",
		"members[0].libvirt.networks[1].ip":      "libvirt.networks[1].ip",
		"members[0].name":                        "members[0].name",
		"members":                                "members",
		"":                                       "",
	} {
		assert.Equal(t, want, from.of(path), path)
	}
}
