package backup

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/change"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestKeysOfS3 has keys that are changed reach a member that runs, and stop nothing that serves.
func TestKeysOfS3(t *testing.T) {
	t.Parallel()
	region, style, schedule, key := "us-east-1", host.PathStyle, "hourly", "a-key-of-backups-16"
	effects := func(access, secret string) map[string]string {
		s3 := host.S3{Endpoint: "https://s3.example.org", Bucket: "backups", Region: &region, URIStyle: &style, AccessKey: access, SecretKey: secret}
		s, err := Config{Backup: &Settings{S3: s3, EncryptionKey: &key, Schedule: &schedule}, User: "etcd"}.State()
		require.NoError(t, err)
		return s.Effects()
	}
	for _, now := range [][]string{{"other", "b"}, {"a", "other"}, {"other", "others"}} {
		assert.Equal(t, []string{guest.BackupsChange}, change.Said(effects("a", "b"), effects(now[0], now[1])))
	}
}
