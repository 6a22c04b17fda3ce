package clusters

import (
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOfVirtualIP has previews say what giving a running cluster an address that moves does, another address, and
// taking it out.
func TestPreviewsOfVirtualIP(t *testing.T) { //nolint:paralleltest // as TestDatabasePreviews
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = "      virtualIp: {address: " + d.subnet + ".50}\n" })
	previews.Reads(t, "postgres/virtual-ip-added", d.subnet, d.Preview())
	for _, port := range []string{"5432", "5433"} { // there is no keepalived on fake machines
		passOn(t, net.JoinHostPort(d.subnet+".50", port), net.JoinHostPort(d.subnet+".41", port))
	}
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = "      virtualIp: {address: " + d.subnet + ".51}\n" })
	previews.Reads(t, "postgres/virtual-ip-moved", d.subnet, d.Preview())
	d.change(func(o *databaseOptions) { o.haproxy = "" })
	previews.Reads(t, "postgres/virtual-ip-taken-out", d.subnet, d.Preview())
}

// passOn has connections to one address go to another, until the test ends.
func passOn(t *testing.T, from, to string) {
	t.Helper()
	l, err := net.Listen("tcp", from)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer client.Close()
				server, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer server.Close()
				go func() { _, _ = io.Copy(server, client); server.Close() }()
				_, _ = io.Copy(client, server)
			}()
		}
	}()
}
