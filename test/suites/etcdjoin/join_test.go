package etcdjoin

import (
	"context"
	"net"
	"os"
	"testing"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

func within(t *testing.T, seconds int) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func put(t *testing.T, client *clientv3.Client, key string) {
	t.Helper()
	_, err := client.Put(within(t, 20), key, "value")
	require.NoError(t, err)
}

// has asks this member alone.
func has(t *testing.T, client *clientv3.Client, key string) bool {
	t.Helper()
	got, err := client.Get(within(t, 20), key, clientv3.WithSerializable())
	require.NoError(t, err)
	return got.Count == 1
}

// TestJoin goes through the life of a cluster.
func TestJoin(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	all[0].start(t)
	all[1].start(t)
	all[0].waits(t, "not all that found the cluster answer: 127.0.0.13")
	all[2].start(t)
	for _, m := range all {
		m.serves(t)
	}
	first, lost := all[0].connect(t), all[2]
	put(t, first, "before")

	lost.stop()
	lost.loseData(t)
	require.NoError(t, os.Remove(lost.conf)) // systemd removes it
	lost.start(t)
	lost.waits(t, "the cluster knows this member as one that had data: it must be removed and added again")
	put(t, first, "meanwhile")
	list, err := first.MemberList(within(t, 20))
	require.NoError(t, err)
	for _, member := range list.Members {
		if member.Name == "etcd-3" {
			_, err = first.MemberRemove(within(t, 20), member.ID)
			require.NoError(t, err)
		}
	}
	lost.waits(t, "does not know this member: it must be added")
	var added *clientv3.MemberAddResponse
	require.Eventually(t, func() bool { // etcd wants the connections of its members to last for 5 s first
		added, err = first.MemberAddAsLearner(within(t, 20), []string{"https://127.0.0.13:" + lost.peer})
		return err == nil
	}, 30*time.Second, 200*time.Millisecond)
	lost.serves(t)
	lost.isAskedAlone(t)
	require.Eventually(t, func() bool {
		_, err := first.MemberPromote(within(t, 20), added.Member.ID)
		return err == nil
	}, 30*time.Second, 200*time.Millisecond)
	third := lost.connect(t)
	require.Eventually(t, func() bool { return has(t, third, "before") && has(t, third, "meanwhile") }, 20*time.Second, 100*time.Millisecond)

	// The file of the new member still says that it founds: with data that does not count.
	lost.stop()
	require.NoError(t, os.Remove(lost.conf))
	lost.start(t)
	lost.serves(t)
	all[1].stop()
	put(t, third, "after")
	require.True(t, has(t, third, "after"))
}

// isAskedAlone has a gate reach a cluster by a learner only, which tells nothing
// of it: the gate waits, and does not take it for one that is yet to be founded.
func (m *machine) isAskedAlone(t *testing.T) {
	t.Helper()
	tls, quorum, ctx := certificates(t), admin.Quorum, within(t, 3)
	_, err := admin.Health{}.Create(ctx, infer.CreateRequest[admin.HealthArgs]{Name: "gate", Inputs: admin.HealthArgs{
		Etcd: host.EtcdConnection{
			Endpoints: []string{net.JoinHostPort(m.ip, m.client)}, CACert: tls.CACert, ClientCert: &tls.ServerCert, ClientKey: &tls.ServerKey,
		},
		Members: []admin.HealthMember{{Name: "etcd-3", IP: m.ip}}, Require: &quorum,
	}})
	require.ErrorContains(t, err, "timed out after 3s")
}

// TestFounderThatIsBehind has a founder that no news of the others reached, and
// one that lost its data: the two are a majority, and what the third has
// confirmed would be gone if they went ahead.
func TestFounderThatIsBehind(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	lost, knows, behind := all[0], all[1], all[2]
	found := func(m *machine) {
		require.NoError(t, m.startEtcd(m.root+"/etc/etcd/conf.yml"))
		t.Cleanup(m.stop)
	}
	found(behind)
	require.Eventually(t, func() bool { return behind.etcd.Server.AppliedIndex() == 3 }, 20*time.Second, 10*time.Millisecond, "it knows the founders")
	behind.stop()
	found(lost)
	found(knows)
	for _, m := range []*machine{lost, knows} {
		<-m.etcd.Server.ReadyNotify()
	}
	put(t, lost.connect(t), "confirmed")
	lost.stop()
	knows.stop()

	lost.loseData(t)
	lost.start(t)
	behind.start(t)
	require.NoError(t, <-behind.started)
	lost.waits(t, "too few of the cluster's voters answer to tell what became of this member: 127.0.0.12 (Connection refused)")
	knows.start(t)
	lost.waits(t, "removed and added again")
	knows.serves(t)
	require.True(t, has(t, knows.connect(t), "confirmed"))
	lost.waits(t, "removed and added again")
}

// TestFounderThatIsAhead has the others follow one that runs etcd already,
// which has no leader without them.
func TestFounderThatIsAhead(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	require.NoError(t, all[0].startEtcd(all[0].root+"/etc/etcd/conf.yml"))
	t.Cleanup(all[0].stop)
	all[1].start(t)
	all[1].waits(t, "too few of the cluster's voters answer to tell what became of this member: 127.0.0.13 (Connection refused)")
	require.Zero(t, all[0].etcd.Server.Leader())
	all[2].start(t)
	all[1].serves(t)
	all[2].serves(t)
	put(t, all[0].connect(t), "together")
}

// TestFounderThatIsLate has one that starts when the others serve already.
func TestFounderThatIsLate(t *testing.T) {
	t.Parallel()
	all := machines(t, 3)
	for _, m := range all[:2] {
		require.NoError(t, m.startEtcd(m.root+"/etc/etcd/conf.yml"))
		t.Cleanup(m.stop)
	}
	<-all[0].etcd.Server.ReadyNotify()
	put(t, all[0].connect(t), "early")
	all[2].start(t)
	all[2].serves(t)
	third := all[2].connect(t)
	require.Eventually(t, func() bool { return has(t, third, "early") }, 20*time.Second, 100*time.Millisecond)
}

// TestDatabaseWithoutItsLog wants none of it in the new cluster: etcd would
// skip as many new changes as the old database had.
func TestDatabaseWithoutItsLog(t *testing.T) {
	t.Parallel()
	m := machines(t, 1)[0]
	m.start(t)
	m.serves(t)
	client := m.connect(t)
	for range 20 {
		put(t, client, "old")
	}
	m.stop()
	require.NoError(t, os.RemoveAll(m.data()+"/member/wal"))
	m.start(t)
	m.serves(t)
	client = m.connect(t)
	put(t, client, "new")
	require.True(t, has(t, client, "new"))
	require.False(t, has(t, client, "old"))
	require.FileExists(t, m.data()+"/member.no-wal/snap/db")
}
