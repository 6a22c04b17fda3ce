package admin

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// TestSurvey asks members that are healthy, off and frozen at once: each answer
// is its own.
func TestSurvey(t *testing.T) {
	t.Parallel()
	e := embedetcd.Start(t, false)
	c := e.Connection(t)
	c.Username, c.Password = nil, nil
	client, err := Dial(t.Context(), c)
	require.NoError(t, err)
	defer client.Close()
	frozen, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts for it
	require.NoError(t, err)
	defer frozen.Close()
	off, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	off.Close()
	addresses := []string{e.Endpoint}
	for range 3 {
		addresses = append(addresses, frozen.Addr().String(), off.Addr().String())
	}
	answers := askAll(t.Context(), client, c, addresses)
	assert.Len(t, answers, 3)
	assert.Empty(t, answers[e.Endpoint].fault)
	assert.NotNil(t, answers[e.Endpoint].status)
	assert.Equal(t, "does not answer: no answer in time", answers[frozen.Addr().String()].fault)
	assert.Equal(t, "does not answer: connection refused", answers[off.Addr().String()].fault)
	assert.Equal(t, []bool{true, false, false}, Alive(t.Context(), []string{e.Endpoint, frozen.Addr().String(), off.Addr().String()}))
}

func TestHostPort(t *testing.T) {
	t.Parallel()
	for _, same := range [][2]string{
		{"https://[fd00:0::1]:2379", "[fd00::1]:2379"},
		{"https://10.0.0.1:2379/", "10.0.0.1:2379"},
		{"https://etcd-1.example:2380", "etcd-1.example:2380"},
	} {
		assert.Equal(t, hostPort(same[1]), hostPort(same[0]))
	}
}

func TestAlarms(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []alarm{{8630161756594109333, "NOSPACE"}, {7, corrupt}, {0, corrupt}},
		alarms([]string{"etcdserver: no leader", "memberID:8630161756594109333 alarm:NOSPACE ", "memberID:7 alarm:CORRUPT ", "alarm:CORRUPT "}))
}
