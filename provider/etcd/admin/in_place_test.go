package admin

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// TestInPlace has different machines answer where one is to be made: one that this package made,
// or that hangs, is none of somebody else's.
func TestInPlace(t *testing.T) {
	t.Parallel()
	says := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	const ours = "quorum_apply_success{generation=\"1\"} 1\n"
	plain, secure := (*httptest.Server).Start, (*httptest.Server).StartTLS
	for name, c := range map[string]struct {
		etcd, exporter   func(*httptest.Server)
		tells            string
		hangs            bool
		strange, refuses bool
	}{
		"nothing":                             {},
		"a machine that hangs":                {hangs: true},
		"etcd on a machine of its own":        {etcd: secure, strange: true, refuses: true},
		"etcd without TLS":                    {etcd: plain, strange: true, refuses: true},
		"etcd and an exporter":                {etcd: secure, exporter: plain, tells: "node_load1 1\n", strange: true, refuses: true},
		"an exporter alone":                   {exporter: plain, tells: "node_load1 1\n", refuses: true},
		"a proxy that answers for all":        {exporter: plain, tells: "<html>node_exporter is not here</html>\n"},
		"one of ours":                         {etcd: secure, exporter: plain, tells: ours},
		"one of ours, whose etcd has stopped": {exporter: plain, tells: ours},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ip := loopback.Subnet(t) + ".1"
			serve := func(address string, start func(*httptest.Server), text string) {
				if start == nil && !c.hangs {
					return
				}
				l, err := net.Listen("tcp", address)
				require.NoError(t, err)
				if start == nil { // the kernel accepts, and nobody answers
					t.Cleanup(func() { _ = l.Close() })
					return
				}
				server := httptest.NewUnstartedServer(says(text))
				_ = server.Listener.Close()
				server.Listener = l
				start(server)
				t.Cleanup(server.Close)
			}
			serve(endpoint(ip), c.etcd, "")
			serve(wait.Exporter(ip), c.exporter, c.tells)

			assert.Equal(t, []bool{c.strange}, Strange(t.Context(), []string{ip}))
			err := MayMake(t.Context(), HealthMember{Name: "etcd-1", IP: ip})
			if c.refuses {
				require.ErrorContains(t, err, "etcd-1: a machine that was not made here answers at "+ip)
			} else {
				require.NoError(t, err)
			}
		})
	}
}
