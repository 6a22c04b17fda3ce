package change

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func TestDataGuard(t *testing.T) {
	t.Parallel()
	yes, was := true, DataArgs{Machine: "etcd-1", Data: "a", Volume: "the data volume etcd-1-data.qcow2 in the pool default"}
	for name, c := range map[string]struct {
		now  DataArgs
		says string
	}{
		"nothing changes":           {was, ""},
		"another name for the same": {DataArgs{Machine: "etcd-1", Data: "a", Volume: "another"}, ""},
		"not known yet":             {DataArgs{Machine: "etcd-1"}, ""},
		"allowed":                   {DataArgs{Machine: "etcd-1", Data: "b", AllowDataLoss: &yes}, ""},
		"another volume": {
			DataArgs{Machine: "etcd-1", Data: "b", Volume: "another"},
			"data: this change deletes the data of etcd-1 (the data volume etcd-1-data.qcow2 in the pool default): no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true",
		},
		"another size, where an earlier release kept none": {
			DataArgs{Machine: "etcd-1", Data: guest.Sized(guest.Hash("b"), 2, guest.Hash("c")), Volume: was.Volume},
			"data: this change deletes the data of etcd-1 (the data volume etcd-1-data.qcow2 in the pool default): no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true. If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it",
		},
		"a volume that nothing deletes": {
			DataArgs{Machine: "etcd-1", Data: "c", Volume: "another"},
			"data: this change leaves behind the data of etcd-1 (the volume /pool/mine, which itself stays): no other machine is known to have them. Take it back, or allow the loss with allowDataLoss: true",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says := ""
			before := was
			if c.now.Data == "c" {
				before.Volume = "the volume /pool/mine" + guest.Kept
			}
			for _, problem := range c.now.ValidateChange(before) {
				says += problem.String()
			}
			assert.Equal(t, c.says, says)
		})
	}
}

func TestLosses(t *testing.T) {
	t.Parallel()
	lost := machines{"etcd-1": {loss: &guest.Loss{On: "volume a"}}, "etcd-2": {lines: []string{"live: x"}}, "etcd-3": {loss: &guest.Loss{On: "volume c"}}}
	three := ClusterArgs{Members: []string{"etcd-1", "etcd-2", "etcd-3"}}
	assert.Equal(t, "data are deleted by this update: those of etcd-1 (volume a); of etcd-3 (volume c), and each gets them back from the others before the next one changes", three.losses(ClusterArgs{}, lost, true))
	assert.Empty(t, three.losses(ClusterArgs{}, machines{"etcd-2": lost["etcd-2"]}, true))
	lost["etcd-1"] = happens{loss: &guest.Loss{On: "the volume a" + guest.Kept}}
	assert.Contains(t, three.losses(ClusterArgs{}, lost, true), "data are deleted or left behind by this update: those of etcd-1 (the volume a, which itself stays); of etcd-3 (volume c), and")
	delete(lost, "etcd-3")
	assert.Contains(t, three.losses(ClusterArgs{}, lost, false), "data are left behind: those of etcd-1 (the volume a, which itself stays), and")
	lost["etcd-1"] = happens{loss: &guest.Loss{On: "volume a"}}
	lost["etcd-3"] = happens{loss: &guest.Loss{On: "volume c", Or: ". If it grows: x"}}
	assert.Contains(t, three.losses(ClusterArgs{}, lost, true), " before the next one changes. If it grows: x")
	delete(lost, "etcd-3")
	one := ClusterArgs{Members: []string{"etcd-1"}}
	assert.Equal(t, "data are deleted: those of etcd-1 (volume a), and no other machine has them: the cluster starts again empty", one.losses(ClusterArgs{}, lost, false))
}

// TestLossesUnasked has data be lost that no input takes away: where an update refuses that, its preview says so.
func TestLossesUnasked(t *testing.T) {
	t.Parallel()
	lost := machines{"etcd-1": {loss: &guest.Loss{On: "volume a", Again: true}}}
	const those = "data are lost by this update: those of etcd-1 (volume a), and "
	of := func(members ...string) ClusterArgs { return ClusterArgs{Members: members, Service: etcdService} }
	assert.Equal(t, those+"each gets them back from the others before the next one changes", of("etcd-1", "etcd-2", "etcd-3").losses(ClusterArgs{}, lost, true))
	two := machines{"etcd-1": lost["etcd-1"], "etcd-3": {loss: &guest.Loss{On: "volume c", Again: true}}}
	three := of("etcd-1", "etcd-2", "etcd-3")
	const gone = "and each gets them back from the others before the next one changes. That is so where --replace names them. Where they are gone already, "
	assert.Contains(t, three.losses(ClusterArgs{}, two, true), gone+"the cluster has no quorum: the update says which members have data, and stops. On libvirt, recoverFrom re-creates it from one of these")
	assert.NotContains(t, of("etcd-1", "etcd-2", "etcd-3", "etcd-4", "etcd-5").losses(ClusterArgs{}, two, true), "quorum")
	assert.NotContains(t, three.losses(ClusterArgs{}, two, false), "quorum", "it is done")
	three.Settings = map[string]string{"recoverFrom": "etcd-2"}
	assert.Contains(t, three.losses(ClusterArgs{}, two, true), gone+"each gets what etcd-2 has")
	assert.Contains(t, three.losses(three, two, true), "recoverFrom, removed and set again, re-creates it from one of these", "it happens once")
	all := machines{"etcd-1": two["etcd-1"], "etcd-2": {loss: &guest.Loss{On: "volume b", Again: true}}, "etcd-3": two["etcd-3"]}
	three.Settings = nil
	assert.Contains(t, three.losses(ClusterArgs{}, all, true), gone+"no other machine has them: the members found an empty cluster, and the update stops")
	three.Settings = map[string]string{"restore.time": "latest"}
	assert.Contains(t, three.losses(ClusterArgs{}, all, true), gone+"none has them: see what is said here of restore")
	three.Service = patroniService
	assert.Contains(t, three.losses(ClusterArgs{}, all, true), gone+"none has them: see what is said here of restore")
	three.Settings = nil
	assert.NotContains(t, three.losses(ClusterArgs{}, two, true), "gone already", "the third node may lead")
	both := ClusterArgs{Members: []string{"etcd-1", "etcd-3"}, Service: patroniService}
	assert.Contains(t, both.losses(ClusterArgs{}, two, true), gone+"no other machine has them")
	assert.Equal(t, those+"a cluster of two members has no quorum without both: where --replace names it, the update refuses that", of("etcd-1", "etcd-2").losses(ClusterArgs{}, lost, true))
	assert.Equal(t, those+"no other machine has them: where --replace names it, the update refuses that without allowDataLoss: true", of("etcd-1").losses(ClusterArgs{}, lost, true))
	allowed := of("etcd-1")
	allowed.Settings = map[string]string{"allowDataLoss": "true"}
	assert.Equal(t, those+"no other machine has them: the cluster starts again empty", allowed.losses(ClusterArgs{}, lost, true))
	nodes := of("etcd-1", "etcd-2")
	nodes.Service = patroniService
	assert.Equal(t, those+"each gets them back from the others before the next one changes", nodes.losses(ClusterArgs{}, lost, true))
}
