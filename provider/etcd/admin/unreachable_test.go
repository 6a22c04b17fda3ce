package admin_test

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// A member that stops ends calls as a server of HTTP does whose handler writes
// nothing, or nothing but headers. That passes: it is no answer of etcd's.
func TestStopping(t *testing.T) {
	t.Parallel()
	for said, answer := range map[string]http.HandlerFunc{
		"200 (OK)": func(http.ResponseWriter, *http.Request) {},
		"without sending trailers": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/grpc")
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
		},
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			stopping(t, said, answer)
		})
	}
}

// What Raft says of a member that stops, or that has no leader, passes too. Other
// answers without a code do not.
func TestStops(t *testing.T) {
	t.Parallel()
	for said, passes := range map[string]bool{"raft: stopped": true, "raft proposal dropped": true, "bad answer": false} {
		assert.Equal(t, passes, admin.Unreachable(status.Error(codes.Unknown, said)), said)
	}
	assert.False(t, admin.Unreachable(nil))
}

func stopping(t *testing.T, said string, answer http.HandlerFunc) {
	t.Helper()
	s := httptest.NewUnstartedServer(answer)
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	ca := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}))
	c := host.EtcdConnection{Endpoints: []string{s.Listener.Addr().String()}, CACert: ca}
	err := admin.With(t.Context(), c, func(ctx context.Context, client *clientv3.Client) error {
		_, err := client.MemberList(ctx)
		return err
	})
	assert.ErrorIs(t, err, admin.ErrUnreachable)
	assert.ErrorContains(t, err, said)
}
