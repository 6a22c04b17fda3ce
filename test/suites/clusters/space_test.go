package clusters

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	mib        = 1 << 20
	smallQuota = 16 * mib
)

// settings gives inputs of etcd, and further ones.
func (c *cluster) settings(quota int, more string) {
	if c.ca != nil {
		more += c.ca.input()
	}
	c.change(func(o *options) { o.extra = fmt.Sprintf("      etcd: {spaceQuota: %d}\n%s", quota, more) })
}

// becomesFull has a small quota, and a database that has reached it.
func (c *cluster) becomesFull(t *testing.T) *clientv3.Client {
	t.Helper()
	c.settings(smallQuota, "")
	c.Up()
	client := c.client(t)
	c.fill(t, client, smallQuota)
	return client
}

// fill writes until etcd refuses, and until defragmentation gives no room that the
// provider would take for enough: large values up to two thirds of the quota, and then
// small ones. What a database has unused when the alarm is raised depends on timing.
func (c *cluster) fill(t *testing.T, client *clientv3.Client, quota int) {
	t.Helper()
	const large, small = 200_000, 20_000
	for i, written := 0, 0; written < 2*quota; i++ {
		value := strings.Repeat("y", small)
		if written < quota*2/3 {
			value = strings.Repeat("y", large)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		_, err := client.Put(ctx, fmt.Sprintf("/fill/%d", i), value)
		cancel()
		switch {
		case err != nil && strings.Contains(err.Error(), "database space exceeded"):
			if c.staysFull(t, client, quota) {
				return
			}
		default:
			written += len(value)
		}
	}
	require.Fail(t, "it was never full")
}

// staysFull defragments the members that answer, and tells whether one of them still has
// less than a twentieth of the quota free. If none has, it disarms the alarm: etcd takes
// writes again.
func (c *cluster) staysFull(t *testing.T, client *clientv3.Client, quota int) bool {
	t.Helper()
	for _, endpoint := range client.Endpoints() {
		once, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, _ = client.Defragment(once, endpoint) // one may be frozen
		cancel()
	}
	for _, size := range sizes(t.Context(), client) {
		if size > int64(quota-quota/20) {
			return true
		}
	}
	_, err := client.AlarmDisarm(t.Context(), &clientv3.AlarmMember{})
	require.NoError(t, err)
	return false
}

// empty deletes what fill wrote, and its history.
func (c *cluster) empty(t *testing.T, client *clientv3.Client) {
	t.Helper()
	deleted, err := client.Delete(t.Context(), "/fill/", clientv3.WithPrefix())
	require.NoError(t, err)
	_, err = client.Compact(t.Context(), deleted.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
}

// writes tells whether etcd takes writes, and no alarm stands.
func (c *cluster) writes(t *testing.T, client *clientv3.Client) {
	t.Helper()
	_, err := client.Put(t.Context(), "/after", "x")
	assert.NoError(t, err)
	alarms, err := client.AlarmList(t.Context())
	require.NoError(t, err)
	assert.Empty(t, alarms.Alarms)
}

// sizes are those of the members' databases, in the order of the endpoints; 0 where one does not answer.
func sizes(ctx context.Context, client *clientv3.Client) (all []int64) {
	for _, endpoint := range client.Endpoints() {
		once, cancel := context.WithTimeout(ctx, 5*time.Second)
		s, err := client.Status(once, endpoint)
		cancel()
		all = append(all, 0)
		if err == nil {
			all[len(all)-1] = s.DbSize
		}
	}
	return all
}

// health is what a member says at a path.
func (c *cluster) health(t *testing.T, member, path string) string {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(c.Output("rootCert")), []byte(c.Output("rootKey")))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(c.Output("caCert"))))
	transport := &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+c.subnet+"."+strings.TrimPrefix(member, "etcd-")+":2379"+path, nil)
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: transport}).Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(text)
}

// TestDatabaseFull mends a full database in both ways: by a larger quota, and
// by keys that are deleted and another value of defragment.
func TestDatabaseFull(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.releases(t, debian13) // which tells its quota by its metrics only
	c.settings(smallQuota, "")
	c.Up()
	client := c.client(t)
	c.fill(t, client, smallQuota)

	assert.Contains(t, c.health(t, "etcd-1", "/health"), `"health":"false"`)
	assert.Contains(t, c.health(t, "etcd-1", "/health?exclude=NOSPACE"), `"health":"true"`, "what quorum-apply asks")
	c.settings(smallQuota, "      defragment: nothing was deleted\n")
	c.change(func(o *options) { o.limit = "20s" })
	failed := c.UpFails()
	for _, says := range []string{"the database is full (alarm NOSPACE of etcd-", "of its quota of 16 MiB", "Increase etcd.spaceQuota, to at most 8 GiB. Or: Delete keys"} {
		assert.Contains(t, failed.Diagnostics, says)
	}

	c.change(func(o *options) { o.limit = "90s" })
	c.settings(4*smallQuota, "")
	up := c.Up()
	assert.Contains(t, order(up), "update Domain etcd-3-domain")
	c.writes(t, client)
	assert.True(t, c.Up().Unchanged())

	c.fill(t, client, 4*smallQuota)
	c.empty(t, client)
	c.settings(4*smallQuota, "      defragment: \"2026-11-22\"\n")
	up = c.Up()
	assert.Equal(t, []string{"update EtcdHealth healthy"}, order(up), "no machine changes")
	for i := range 3 {
		assert.Contains(t, up.Diagnostics, fmt.Sprintf("etcd-%d is defragmented: its database had ", i+1))
	}
	c.writes(t, client)
	for _, size := range sizes(t.Context(), client) {
		assert.Less(t, size, int64(4*mib))
	}
	assert.True(t, c.Up().Unchanged())
}

// TestDatabaseFullAndFrozen has the database be full while a member hangs: one
// update rebuilds its machine and gives a larger quota.
func TestDatabaseFullAndFrozen(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.releases(t, debian13)
	c.settings(smallQuota, "")
	c.Up()
	client := c.client(t)
	c.machines.Freeze("etcd-3")
	c.fill(t, client, smallQuota)

	c.settings(4*smallQuota, "")
	c.change(func(o *options) { o.of = map[string]string{"etcd-3": "            vcpus: 4\n"} })
	c.Up()
	c.writes(t, client)
	assert.True(t, c.Up().Unchanged())
}
