package change

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAnotherKey warns of one for backups that were written with another, and of none where they lie elsewhere from
// then on, where it is not known yet, or where the gate of a cluster tells.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	const stanza = "backup.stanza"
	of := func(key string, more ...string) settings {
		plain := map[string]string{"backup.s3.endpoint": "https://s3.example.org", "backup.s3.bucket": "backups", "patroni.scope": "main"}
		for i := 0; i < len(more); i += 2 {
			plain[more[i]] = more[i+1]
		}
		secret := map[string]string{"backup.s3.secretKey": "hash of it"}
		if key != "none" {
			secret[backupKey] = key
		}
		return settings{plain, secret}
	}
	etcd := func(s settings) settings {
		maps.DeleteFunc(s.plain, func(path, _ string) bool { return path == "patroni.scope" })
		return s
	}
	was := of("hash")
	text := anotherKey(was, of("other"))
	assert.Contains(t, text, "backup.encryptionKey is another one, ")
	assert.Contains(t, text, "WAL waits on the disk of the leader, until the former key is given again. For another key, give another backup.stanza with it, or another backup.s3.prefix")
	assert.NotContains(t, text, "hash")
	assert.Contains(t, anotherKey(was, of("none")), "backup.encryptionKey is taken out, and another key is made, ")
	assert.Contains(t, anotherKey(of("hash", stanza, "main"), of("other", stanza, "main")), "pgBackRest cannot read")
	text = anotherKey(etcd(of("hash")), etcd(of("other")))
	assert.Contains(t, text, "restic cannot read")
	assert.NotContains(t, text, "stanza")
	for name, c := range map[string][2]settings{
		"the same":               {was, of("hash")},
		"one that was made":      {of("none"), of("other")},
		"not known yet":          {was, of("")},
		"not known before":       {of(""), of("other")},
		"another stanza":         {was, of("other", stanza, "other")},
		"another prefix":         {was, of("other", "backup.s3.prefix", "other")},
		"a bucket not known yet": {was, of("other", "backup.s3.bucket", "")},
		"its own backups":        {was, of("other", "restore.stanza", "main-5f2c91aa")},
		"no backups any more":    {was, settings{map[string]string{"patroni.scope": "main"}, nil}},
		"backups not known yet":  {was, settings{map[string]string{"backup": ""}, map[string]string{"backup": ""}}},
		"an earlier release":     {settings{}, of("other")},
	} {
		assert.Empty(t, anotherKey(c[0], c[1]), name)
	}
}
