package backup

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// A gate must not take what members told of before for what they tell of these settings.
func TestRepository(t *testing.T) {
	key := "a-key-of-backups-16"
	before := Settings{S3: host.S3{Endpoint: "https://s3.example.org", Bucket: "backups", AccessKey: "a", SecretKey: "b"}, EncryptionKey: &key}
	assert.NotContains(t, before.Repository(), key)
	for what, change := range map[string]func(*Settings){
		"bucket":     func(s *Settings) { s.S3.Bucket = "others" },
		"access key": func(s *Settings) { s.S3.AccessKey = "c" },
		"secret key": func(s *Settings) { s.S3.SecretKey = "c" },
		"encryption": func(s *Settings) { other := "another-key-of-backups"; s.EncryptionKey = &other },
	} {
		after := before
		change(&after)
		assert.NotEqual(t, before.Repository(), after.Repository(), what)
	}
	hourly := "hourly"
	after := before
	after.Schedule = &hourly
	assert.Equal(t, before.Repository(), after.Repository(), "what is made when is no reason to read all again")
}

// TestAbout tells people what a cluster is founded from, and nothing that opens it.
func TestAbout(t *testing.T) {
	id, moment := "1a2b3c4d", "2026-11-28T07:50:14Z"
	r := Restore{S3: host.S3{Endpoint: "https://s3.example.org", Bucket: "b", AccessKey: "key", SecretKey: "secret"}, EncryptionKey: "open"}
	assert.Equal(t, "the newest in s3://b at s3.example.org:443", r.About())
	r.Snapshot = &id
	assert.Equal(t, "1a2b3c4d in s3://b at s3.example.org:443", r.About())
	r.Snapshot, r.Time = nil, &moment
	assert.Equal(t, "the last one before 2026-11-28T07:50:14Z in s3://b at s3.example.org:443", r.About())
}
