package etcd_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

// A member that stops ends calls as a server of HTTP does whose handler writes
// nothing. That passes: it is no answer of etcd's.
func TestStopping(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	c := host.EtcdConnection{Endpoints: []string{s.Listener.Addr().String()}, CACert: ca}
	err := etcd.With(t.Context(), c, func(ctx context.Context, client *clientv3.Client) error {
		_, err := client.MemberList(ctx)
		return err
	})
	assert.ErrorIs(t, err, etcd.ErrUnreachable)
	assert.ErrorContains(t, err, "200 (OK)")
}
