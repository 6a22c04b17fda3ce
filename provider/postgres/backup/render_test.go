package backup_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/backup"
)

// FuzzConf has whatever is not refused stay within its own line of pgBackRest's configuration.
func FuzzConf(f *testing.F) {
	f.Add("https://s3.example.org:9000", "backups", "a/b", "eu-central-1", "key", "secret", "key-of-all-backups", "main")
	f.Add("https://[fd00::1]", "b.u.c", "", "x", "#", "=[main]", "sixteen=characters", "a")
	f.Fuzz(func(t *testing.T, endpoint, bucket, prefix, region, access, secret, key, stanza string) {
		style, daily, two, sixty := host.PathStyle, "daily", 2, 60
		settings := backup.Settings{
			S3:            host.S3{Endpoint: endpoint, Bucket: bucket, Prefix: &prefix, Region: &region, AccessKey: access, SecretKey: secret, URIStyle: &style},
			EncryptionKey: &key, Stanza: &stanza, FullSchedule: &daily, DifferentialSchedule: &daily, RetentionFull: &two, ArchiveTimeout: &sixty,
		}
		if len(settings.Validate()) > 0 {
			t.Skip()
		}
		state, err := backup.Config{Backup: &settings, User: "postgres", Volume: "/volume", DataDir: "/volume/data"}.State()
		require.NoError(t, err)
		options := map[string]string{}
		for _, file := range state.Files {
			if file.Path != "/etc/quorum-backup/pgbackrest.conf" {
				continue
			}
			assert.Equal(t, "0600", file.Mode)
			for lines := bufio.NewScanner(strings.NewReader(file.Content)); lines.Scan(); {
				name, value, _ := strings.Cut(lines.Text(), "=")
				assert.NotContains(t, options, name)
				options[name] = value
			}
		}
		for name, value := range map[string]string{
			"repo1-s3-bucket": bucket, "repo1-s3-region": region, "repo1-s3-key": access, "repo1-s3-key-secret": secret, "repo1-cipher-pass": key, "[" + stanza + "]": "",
		} {
			assert.Equal(t, value, options[name], name)
		}
	})
}
