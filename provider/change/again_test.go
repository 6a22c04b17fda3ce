package change

import (
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func TestAgain(t *testing.T) {
	t.Parallel()
	of := func(machine, data string) MachineArgs {
		return MachineArgs{MachineID: &machine, DataID: &data, Effects: map[string]string{guest.DataAnew: "1"}}
	}
	rooted := func(machine, data string) MachineArgs {
		return MachineArgs{MachineID: &machine, DataID: &data, Effects: map[string]string{guest.Anew: "1"}}
	}
	none, live := MachineArgs{Effects: of("", "").Effects}, []string{"live: x"}
	for _, c := range []struct {
		what        string
		before, now MachineArgs
		lines       []string
		when        tense
		want        []string
	}{
		{"nothing", of("a", "v"), of("a", "v"), live, true, live},
		{"gone", of("a", "v"), of("", "v"), live, true, []string{guest.Again + " (its data volume is kept)"}},
		{"gone with its data", of("a", "v"), of("", ""), nil, true, []string{guest.Again, guest.DataAgain}},
		{"made again", of("a", "v"), of("b", "v"), nil, false, []string{guest.Again}},
		{"made again with its data", of("a", "v"), of("b", "w"), nil, false, []string{guest.Again, guest.DataAgain}},
		{"made again in an earlier update", of("a", "v"), of("b", "v"), live, true, live},
		{"its data made again while inputs ask for the rest", of("a", "v"), of("", ""), []string{guest.Anew + " (its data volume is kept, and grows)"}, true, []string{guest.Anew, guest.DataAgain}},
		{"its data made again while it is powered off", of("a", "v"), of("", ""), []string{guest.PowerOff, guest.DataGrows}, true, []string{guest.PowerOff, guest.DataAgain}},
		{"its data made again as inputs ask for", of("a", "v"), of("", ""), []string{guest.Anew, guest.DataAnew}, true, []string{guest.Anew, guest.DataAnew}},
		{"a root volume with its data", rooted("a", "v"), rooted("", ""), []string{guest.Anew}, true, []string{guest.Anew}},
		{"a root volume had its data, and a data volume is to have them", rooted("a", "v"), of("", ""), []string{guest.PowerOff}, true, []string{guest.PowerOff}},
		{"as inputs ask for", of("a", "v"), of("", "v"), []string{guest.PowerOff}, true, []string{guest.PowerOff}},
		{"in a state of an earlier version", none, of("", ""), nil, true, nil},
		{"while effects are not known", of("a", "v"), MachineArgs{}, live, true, live},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, c.now.again(c.before, c.lines, c.when))
		})
	}
}

// TestIDsOfEarlierVersions has ids that a state does not have yet be no change.
func TestIDsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	has := func(kind p.DiffKind, paths ...string) bool {
		changes := map[string]p.PropertyDiff{"machineId": {Kind: kind}}
		for _, path := range paths {
			changes[path] = p.PropertyDiff{Kind: kind}
		}
		return Machine{}.Decide(t.Context(), p.DiffRequest{}, changes).HasChanges
	}
	assert.False(t, has(p.Add, "dataId"))
	assert.True(t, has(p.Add, "volume"))
	assert.True(t, has(p.Update))
}

// TestMadeAgain has a machine that was there before not be new, if all that is known of it is.
func TestMadeAgain(t *testing.T) {
	t.Parallel()
	of := func(machine, data string, when tense) machines {
		a := MachineArgs{MachineID: &machine, DataID: &data, Volume: &[]string{"the data volume v"}[0]}
		return machines{"etcd-1": {isNew: true, again: a.asMadeAgain(when)}, "etcd-4": {isNew: true}}.asBefore(ClusterArgs{Members: []string{"etcd-1"}})
	}
	all := of("", "", true)
	assert.Equal(t, []string{guest.Again, guest.DataAgain}, all["etcd-1"].lines)
	assert.Equal(t, &guest.Loss{On: "the data volume v", Again: true}, all["etcd-1"].loss)
	assert.False(t, all["etcd-1"].isNew)
	assert.True(t, all["etcd-4"].isNew)
	kept := of("", "v", true)["etcd-1"]
	assert.Equal(t, []string{guest.Again + dataKept}, kept.lines)
	assert.Nil(t, kept.loss)
	assert.Equal(t, []string{guest.Again}, MachineArgs{}.asMadeAgain(true).lines, "a load balancer has no data")
	assert.Equal(t, []string{"what happens to it is not known, since it is not known how it was"}, of("a", "v", true)["etcd-1"].lines)
	assert.Equal(t, []string{"what happened to it is not known, since it is not known how it was"}, of("b", "w", false)["etcd-1"].lines)
}
