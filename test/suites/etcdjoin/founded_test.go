package etcdjoin

import (
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// founded has all machines found a cluster, and a key be written.
func founded(t *testing.T, all []*machine) {
	t.Helper()
	for _, m := range all {
		m.start(t)
	}
	for _, m := range all {
		m.serves(t)
	}
	put(t, all[0].connect(t), "before")
}

// recovers hands the machine a recovery, and starts it.
func (m *machine) recovers(t *testing.T, id string) {
	t.Helper()
	m.config.Recovery = id
	m.install(t)
	_ = os.Remove(m.conf)
	m.start(t)
}

// again starts the machine another time.
func (m *machine) again(t *testing.T) {
	t.Helper()
	_ = os.Remove(m.conf)
	m.start(t)
}

// joins has a machine that waits for that be added and vote.
func (m *machine) joins(t *testing.T, cluster *clientv3.Client) {
	t.Helper()
	m.waits(t, "does not know this member: it must be added")
	var added *clientv3.MemberAddResponse
	require.Eventually(t, func() bool {
		var err error
		added, err = cluster.MemberAddAsLearner(within(t, 20), []string{"https://" + m.ip + ":" + m.peer})
		return err == nil
	}, 30*time.Second, 200*time.Millisecond)
	m.serves(t)
	require.Eventually(t, func() bool {
		_, err := cluster.MemberPromote(within(t, 20), added.Member.ID)
		return err == nil
	}, 30*time.Second, 200*time.Millisecond)
}

func names(t *testing.T, client *clientv3.Client) (all []string) {
	t.Helper()
	list, err := client.MemberList(within(t, 20))
	require.NoError(t, err)
	for _, m := range list.Members {
		all = append(all, m.Name)
	}
	return all
}
