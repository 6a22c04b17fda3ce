package backup

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestRestoreWithoutBackup has a machine tell how its restore goes, though it will make no backups.
func TestRestoreWithoutBackup(t *testing.T) {
	t.Parallel()
	region, style := "us-east-1", host.URIStyle("path")
	s3 := host.S3{Endpoint: "https://s3.example.org", Bucket: "backups", Region: &region, URIStyle: &style, AccessKey: "a", SecretKey: "b"}
	s, err := Config{Restore: &Restore{S3: s3, EncryptionKey: "a-key-of-all-backups", Stanza: "main"}, User: "postgres"}.State()
	require.NoError(t, err)
	assert.True(t, slices.ContainsFunc(s.Services, func(s guest.Service) bool { return s.Name == "quorum-backup.timer" }))
	assert.False(t, slices.ContainsFunc(s.Files, func(f guest.File) bool { return f.Path == conf || f.Path == walProgram }))
}
