package clusters

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// orderer asks Patroni of a node, from an address of its own.
type orderer struct {
	http *http.Client
	api  string
}

func (d *database) orderer(node, from string, certs ...tls.Certificate) orderer {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 5 * time.Second}
	transport := &http.Transport{
		DialContext: dialer.DialContext, DisableKeepAlives: true, TLSClientConfig: &tls.Config{Certificates: certs, InsecureSkipVerify: true},
	}
	return orderer{&http.Client{Transport: transport, Timeout: 30 * time.Second}, fmt.Sprintf("https://%s.1%s:4443", d.subnet, node[len("postgres-"):])}
}

func (o orderer) do(t *testing.T, method, path, body string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, o.api+path, strings.NewReader(body))
	require.NoError(t, err)
	answer, err := o.http.Do(request)
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// refused has none of the requests obeyed that change something.
func (o orderer) refused(t *testing.T, status int) {
	t.Helper()
	for _, each := range [][2]string{
		{http.MethodPatch, "/config"},
		{http.MethodPut, "/config"},
		{http.MethodPost, "/reload"},
		{http.MethodPost, "/restart"},
		{http.MethodDelete, "/restart"},
		{http.MethodPost, "/reinitialize"},
		{http.MethodPost, "/switchover"},
		{http.MethodDelete, "/switchover"},
		{http.MethodPost, "/failover"},
		{http.MethodPost, "/sigterm"},
		{http.MethodPost, "/citus"},
	} {
		assert.Equal(t, status, o.do(t, each[0], each[1], `{"postgresql":{"parameters":{"archive_command":"touch /tmp/taken"}}}`), "%s %s", each[0], each[1])
	}
}

// TestDatabaseOrders has somebody on a load balancer, with all that is there, give Patroni
// orders, and somebody with a node's certificate from an address that is not allowed. With
// them, programs would run on the nodes.
func TestDatabaseOrders(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	nobody, node := d.orderer("postgres-1", "127.0.0.1"), pairOf(t, d)
	for _, path := range []string{"/health", "/patroni", "/cluster"} {
		assert.Equal(t, http.StatusOK, nobody.do(t, http.MethodGet, path, ""), path)
	}
	nobody.refused(t, http.StatusForbidden)
	for _, lb := range []string{"lb-1", "lb-2"} {
		assert.Empty(t, d.keysOn(t, lb), "what could be used from there")
	}
	assert.NotEmpty(t, d.keysOn(t, "postgres-1"), "keys are found where they are")
	assert.Equal(t, http.StatusOK, d.orderer("postgres-1", "127.0.0.1", node).do(t, http.MethodPatch, "/config", `{"nothing": null}`))

	d.change(func(o *databaseOptions) { o.patroni = ", allowlist: [127.0.0.1]" })
	up := d.Up()
	assert.NotContains(t, strings.Join(databaseOrder(up), "\n"), "replace", "it is live")
	for _, name := range d.options.nodes {
		assert.Equal(t, http.StatusOK, d.orderer(name, "127.0.0.1", node).do(t, http.MethodPatch, "/config", `{"nothing": null}`), name)
		d.orderer(name, "127.0.0.9", node).refused(t, http.StatusForbidden)
	}
	d.change(func(o *databaseOptions) { o.image = "debian-14.qcow2" })
	d.Up() // switches over

	d.change(func(o *databaseOptions) { o.patroni = ", allowlist: [10.0.0.0/8, 0.0.0.0/0]" })
	assert.Contains(t, d.Preview().Diagnostics, "patroni.allowlist[1]: is every address of IPv4")
	d.change(func(o *databaseOptions) { o.patroni = ", allowlist: [10.0.0.0/8]" })
	assert.Contains(t, d.Preview().Diagnostics, "patroni.allowlist: does not include 127.0.0.1, the address from which Pulumi runs")
	d.change(func(o *databaseOptions) { o.patroni = ", allowlist: [10.0.0.1/8, here, 10.0.0.2, 10.0.0.2]" })
	failed := d.PreviewFails().Diagnostics
	assert.Contains(t, failed, "patroni.allowlist[0]: must be a network without host bits")
	assert.Contains(t, failed, "patroni.allowlist[1]: must be an IP address or a network")
	assert.Contains(t, failed, "patroni.allowlist[3]: ")
}

// pairOf is the certificate that nodes have, which the stack says too.
func pairOf(t *testing.T, d *database) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(d.Output("clientCert")), []byte(d.Output("clientKey")))
	require.NoError(t, err)
	return pair
}

// keysOn are the files of a machine that have a private key.
func (d *database) keysOn(t *testing.T, machine string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(filepath.Join(d.machines.Dir, machine), func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // files of PostgreSQL come and go
		}
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), "PRIVATE KEY") {
			all = append(all, path)
		}
		return nil
	}))
	return all
}
