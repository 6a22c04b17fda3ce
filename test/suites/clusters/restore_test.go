package clusters

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const restore = `      restore:
        s3: {endpoint: "https://s3.example.org", bucket: backups, accessKey: {fn::secret: key-of-s3}, secretKey: {fn::secret: secret-of-s3}}
        encryptionKey: {fn::secret: key-of-all-backups}
`

// TestRestore has gates take the cluster that is founded from a snapshot for the one that was
// there. The machines here found an empty one: what they restore is shown on real ones.
func TestRestore(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	c.writeAll(t)
	c.change(func(o *options) { o.extra = restore })
	assert.Contains(t, c.UpFails().Diagnostics, "restore: etcd-1 has data, of revision")
	c.hasAll(t)

	c.lose(t, "etcd-1", "etcd-2", "etcd-3")
	const founds = "restore: this update founds the cluster from a snapshot: the newest in s3://backups at s3.example.org:443"
	assert.Contains(t, c.Preview("--refresh").Diagnostics, founds+". It is refused if a member has data")
	assert.Contains(t, c.Up("--refresh").Diagnostics, founds)
	c.Up() // nothing is restored again
	c.change(func(o *options) { o.extra = "" })
	for _, op := range c.Up().Ops("") {
		assert.NotRegexp(t, "replace.*(domain|volume)", op)
	}
	assert.Empty(t, c.Up().Ops(""))
	for _, text := range []string{"key-of-s3", "secret-of-s3", "key-of-all-backups"} {
		assert.NotContains(t, c.Export(), text)
	}
}
