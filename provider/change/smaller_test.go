package change

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func TestSmaller(t *testing.T) {
	t.Parallel()
	name, formerly := "etcd-1", guest.Hash("10")
	of := func(size int, lies string) map[string]string {
		return map[string]string{guest.MoreRoom: guest.Sized(guest.Hash(""), size, guest.Hash("10")), guest.DataAnew: lies}
	}
	for what, c := range map[string]struct {
		before, now map[string]string
		want        string
	}{
		"more":                  {of(9, "a"), of(10, "a"), ""},
		"less":                  {of(10, "a"), of(9, "a"), "effects: openstack.dataVolume.size of etcd-1 must be 10 GiB or more, not 9: OpenStack makes no volume smaller"},
		"another volume":        {of(10, "a"), of(9, "b"), ""},
		"not known yet":         {of(10, "a"), nil, ""},
		"was not there":         {map[string]string{}, of(9, "a"), ""},
		"of an earlier release": {map[string]string{guest.MoreRoom: formerly, guest.DataAnew: "a"}, of(9, "a"), ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, problem := range (MachineArgs{Effects: c.now, Machine: &name}).ValidateChange(MachineArgs{Effects: c.before}) {
				got += problem.String()
			}
			assert.Equal(t, c.want, got)
		})
	}
	assert.Empty(t, Said(map[string]string{guest.MoreRoom: formerly}, of(10, "a")), "a release that keeps the size")
	assert.Equal(t, []string{guest.MoreRoom + " (its data volume is kept)"}, Said(of(10, ""), of(11, "")))
	assert.Equal(t, []string{guest.MoreRoom + " (its data volume is kept)"}, Said(map[string]string{guest.MoreRoom: guest.Hash("9"), guest.DataAnew: ""}, of(10, "")))
}
