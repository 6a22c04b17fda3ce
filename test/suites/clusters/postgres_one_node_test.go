package clusters

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

const restoreDatabase = `      restore:
        s3: {endpoint: "https://s3.example.org", bucket: backups, accessKey: {fn::secret: key-of-s3}, secretKey: {fn::secret: secret-of-s3}}
        stanza: main-5f2c91aa
        encryptionKey: {fn::secret: key-of-all-backups}
`

// TestDatabaseOfOneNode has the only node rebuilt, with its data and without:
// these are lost only where that was allowed.
func TestDatabaseOfOneNode(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1")
	d.change(func(o *databaseOptions) { o.patroni = ", isSynchronous: false" })
	assert.Equal(t, 1, strings.Count(d.Up().Diagnostics, `  psql "host=`), "the end says how to reach it")
	primary := d.Outputs()["primary"].([]any)[0]
	d.ask(t, "CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS n", primary)
	d.change(func(o *databaseOptions) { o.haproxy = restoreDatabase })
	assert.Contains(t, d.Preview().Diagnostics, "restore: postgres-1 has data, so that it has no effect")
	volume := d.urn(t, "Volume", "postgres-1-data-volume")
	d.change(func(o *databaseOptions) { o.haproxy, o.image = "", "debian-14.qcow2" })
	rebuilt := d.Up()
	assert.Contains(t, rebuilt.Ops("Domain"), "create-replacement main-postgres-1-domain")
	assert.NotContains(t, rebuilt.Diagnostics, "How to reach", "it is reached as before")
	assert.Equal(t, "42", d.ask(t, "SELECT n FROM kept", primary))
	previews.Reads(t, "postgres/replace-data-of-one", d.subnet, d.PreviewFails("--replace", volume))
	assert.Contains(t, d.UpFails("--replace", volume).Diagnostics, "the machine of postgres-1 cannot be deleted now: its data would be lost with it, and no other node has them")

	d.change(func(o *databaseOptions) {
		o.of = map[string]string{"postgres-1": "            uri: qemu+ssh://b/system\n"}
	})
	previews.Reads(t, "postgres/data-refused", d.subnet, d.PreviewFails())
	assert.Contains(t, d.UpFails().Diagnostics, "this change deletes the data of postgres-1, the only node")
	d.change(func(o *databaseOptions) { o.of = nil })
	d.Up()
	assert.True(t, d.Up().Unchanged())
	assert.Equal(t, "42", d.ask(t, "SELECT n FROM kept", primary))

	was := d.Output("systemId")
	d.change(func(o *databaseOptions) { o.haproxy, o.limit = "      allowDataLoss: true\n", "30s" })
	assert.Contains(t, d.UpFails("--replace", volume).Diagnostics, "postgres-1: has no data\nOnly if no data volume and no backup can be restored: delete Patroni's keys of this cluster in etcd, after which it starts again empty: ")
	_, err := d.etcd(t).Delete(t.Context(), "/service/main/", clientv3.WithPrefix()) // as etcdctl does
	require.NoError(t, err)
	d.change(func(o *databaseOptions) { o.haproxy, o.limit = "      allowDataLoss: true\n", "300s" })
	d.Up()
	assert.NotEqual(t, was, d.Output("systemId"))
	assert.Equal(t, "0", d.ask(t, "SELECT count(*) FROM pg_tables WHERE tablename = 'kept'", primary))
	d.change(func(o *databaseOptions) { o.haproxy = "" })
	d.Up()
	assert.True(t, d.Up().Unchanged())
}

// etcd reaches the database's etcd as root.
func (d *database) etcd(t *testing.T) *clientv3.Client {
	t.Helper()
	of, root, password := d.Resource(":EtcdCluster", "etcd").Outputs, "root", d.Output("etcdPassword")
	connection := host.EtcdConnection{CACert: of["caCert"].(string), Username: &root, Password: &password}
	for _, endpoint := range of["endpoints"].([]any) {
		connection.Endpoints = append(connection.Endpoints, endpoint.(string))
	}
	client, err := admin.Dial(t.Context(), connection)
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}
