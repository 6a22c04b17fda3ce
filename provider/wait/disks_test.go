package wait

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFullDisks has a machine whose service does not answer tell that a disk is full, as node exporter serves it.
func TestFullDisks(t *testing.T) {
	t.Parallel()
	for ip, c := range map[string]struct{ left, want string }{
		"127.78.0.1": {"0", "the disk is full there: /var/lib/etcd. Make room, or have the volume grow"},
		"127.78.0.2": {"1.048576e+06", "the disk is full there: /var/lib/etcd. Make room, or have the volume grow"},
		"127.78.0.3": {"1.2582912e+10", ""},
	} {
		t.Run(ip, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", net.JoinHostPort(ip, "9100"))
			require.NoError(t, err)
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query()["collect[]"][0] != "filesystem" {
					fmt.Fprintln(w, `quorum_apply_info{generation="g1",outcome="done"} 1`)
					return
				}
				for what, values := range map[string][3]string{"avail": {"5.1e+09", c.left, "0"}, "size": {"8.2e+09", "1.2884901888e+10", "368640"}} {
					fmt.Fprintf(w, "# TYPE node_filesystem_%s_bytes gauge\n", what)
					fmt.Fprintf(w, "node_filesystem_%s_bytes{device=\"/dev/vda1\",device_error=\"\",fstype=\"ext4\",mountpoint=\"/\"} %s\n", what, values[0])
					fmt.Fprintf(w, "node_filesystem_%s_bytes{device=\"/dev/vdb\",device_error=\"\",fstype=\"ext4\",mountpoint=\"/var/lib/etcd\"} %s\n", what, values[1])
					fmt.Fprintf(w, "node_filesystem_%s_bytes{device=\"/dev/sr0\",device_error=\"\",fstype=\"iso9660\",mountpoint=\"/mnt\"} %s\n", what, values[2])
				}
			}))
			require.NoError(t, s.Listener.Close())
			s.Listener = l
			s.Start()
			t.Cleanup(s.Close)
			said, silent := stage(t.Context(), ip)
			assert.Equal(t, c.want, said)
			assert.Empty(t, silent)
		})
	}
}
