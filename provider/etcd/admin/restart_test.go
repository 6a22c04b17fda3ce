package admin_test

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestMayRestart has nobody serve. A member that does not serve may restart. One that was given no time to answer
// is not taken for that: the end of a wait allows nothing.
func TestMayRestart(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	c := host.EtcdConnection{Endpoints: []string{"127.9.9.1:2379"}, CACert: ca}
	members := []admin.HealthMember{{Name: "etcd-1", IP: "127.9.9.1"}, {Name: "etcd-2", IP: "127.9.9.2"}, {Name: "etcd-3", IP: "127.9.9.3"}}
	begun, said := time.Now(), []string(nil)
	require.NoError(t, admin.MayRestart(t.Context(), c, members, "etcd-1", false, func(line string) { said = append(said, line) }))
	assert.GreaterOrEqual(t, time.Since(begun), 2*time.Second, "it did not serve in three looks: one may have been slow")
	assert.Equal(t, []string{
		"the cluster needs 2 healthy members besides etcd-1, and has 0",
		"etcd-2: does not answer: connection refused (a first boot usually takes 2 to 4 min)",
		"etcd-3: does not answer: connection refused (a first boot usually takes 2 to 4 min); also for etcd-2",
	}, said)
	ended, end := context.WithCancel(t.Context())
	end()
	assert.Error(t, admin.MayRestart(ended, c, members, "etcd-1", false, func(string) {}))
}

// TestMayNotRestartUnseen has nobody be reached, as where the way to the machines
// is cut: who serves is not known. No packet goes to a broadcast address.
func TestMayNotRestartUnseen(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	const nowhere = "255.255.255.255"
	c := host.EtcdConnection{Endpoints: []string{nowhere + ":2379"}, CACert: ca}
	members := []admin.HealthMember{{Name: "etcd-1", IP: nowhere}, {Name: "etcd-2", IP: nowhere}}
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	var said []string
	require.Error(t, admin.MayRestart(ctx, c, members, "etcd-1", false, func(line string) { said = append(said, line) }))
	assert.Contains(t, strings.Join(said, "\n"), "No member can be reached from where Pulumi runs. If their machines are off, `pulumi up --refresh` starts them")
	require.NoError(t, admin.MayRestart(t.Context(), c, members, "etcd-1", true, func(string) {}), "a refresh saw that it is off")
}
