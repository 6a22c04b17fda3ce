package change

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSmaller(t *testing.T) {
	t.Parallel()
	const own, shared = "members[etcd-1].openstack.dataVolume.size", "openstack.dataVolume.size"
	for name, c := range map[string]struct {
		before, now settings
		want        string
	}{
		"more":               {plain(own, "9"), plain(own, "10"), ""},
		"less":               {plain(own, "10"), plain(own, "9"), "settings: " + own + ": must be 10 GiB or more, not 9: OpenStack makes no volume smaller"},
		"less for all":       {plain(shared, "10"), plain(shared, "9"), "settings: " + shared + ": must be 10 GiB or more, not 9: OpenStack makes no volume smaller"},
		"another volume":     {plain(own, "10"), plain(own, "9", "members[etcd-1].openstack.dataVolume.type", "fast"), ""},
		"not known yet":      {plain(own, "10"), plain(own, ""), ""},
		"gone":               {plain(own, "10"), plain(), ""},
		"was not there":      {plain(), plain(own, "9"), ""},
		"another hypervisor": {plain("libvirt.dataVolume.size", "10"), plain("libvirt.dataVolume.size", "9"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, problem := range smaller(c.before, c.now) {
				got += problem.String()
			}
			assert.Equal(t, c.want, got)
		})
	}
}
