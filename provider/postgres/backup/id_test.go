package backup_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
)

// TestID has another id for whatever a node must look at again, and none for when it does.
func TestID(t *testing.T) {
	t.Parallel()
	of := func(change func(s *backup.Settings, key, stanza *string)) string {
		region, schedule, key, stanza := "eu-central-1", "daily", "key-of-all-backups", "main"
		s := backup.Settings{
			S3:           host.S3{Endpoint: "https://s3.example.org", Bucket: "backups", Region: &region, AccessKey: "access", SecretKey: "secret"},
			FullSchedule: &schedule,
		}
		change(&s, &key, &stanza)
		return backup.ID(s.Access(), key, stanza)
	}
	was := of(func(*backup.Settings, *string, *string) {})
	assert.Regexp(t, "^[0-9a-f]{4}$", was)
	assert.Equal(t, was, of(func(s *backup.Settings, _, _ *string) { *s.FullSchedule = "weekly" }))
	for name, change := range map[string]func(s *backup.Settings, key, stanza *string){
		"endpoint":  func(s *backup.Settings, _, _ *string) { s.S3.Endpoint = "https://s3.example.net" },
		"bucket":    func(s *backup.Settings, _, _ *string) { s.S3.Bucket = "others" },
		"region":    func(s *backup.Settings, _, _ *string) { *s.S3.Region = "us-east-1" },
		"accessKey": func(s *backup.Settings, _, _ *string) { s.S3.AccessKey = "another" },
		"secretKey": func(s *backup.Settings, _, _ *string) { s.S3.SecretKey = "another" },
		"key":       func(_ *backup.Settings, key, _ *string) { *key = "another-key-of-all" },
		"stanza":    func(_ *backup.Settings, _, stanza *string) { *stanza = "another" },
	} {
		assert.NotEqual(t, was, of(change), name)
	}
}
