package etcd_test

import (
	"context"
	"encoding/pem"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// TestMayRestart has nobody serve. A member that does not serve may restart. One that was given no time to answer
// is not taken for that: the end of a wait allows nothing.
func TestMayRestart(t *testing.T) {
	t.Parallel()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	c := host.EtcdConnection{Endpoints: []string{"127.9.9.1:2379"}, CACert: ca}
	members := []etcd.HealthMember{{Name: "etcd-1", IP: "127.9.9.1"}, {Name: "etcd-2", IP: "127.9.9.2"}, {Name: "etcd-3", IP: "127.9.9.3"}}
	looks := 0
	require.NoError(t, etcd.MayRestart(t.Context(), c, members, "etcd-1", func(string) { looks++ }))
	assert.Equal(t, 2, looks, "it did not serve in three looks: one may have been slow")
	ended, end := context.WithCancel(t.Context())
	end()
	assert.Error(t, etcd.MayRestart(ended, c, members, "etcd-1", func(string) {}))
}
