package backup

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestAbout tells people what a cluster is founded from, and nothing that opens it.
func TestAbout(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	yes := true
	r := Restore{S3: host.S3{Endpoint: "https://[fd00::1]:9000", Bucket: "b", Prefix: text("/a/c/"), AccessKey: "key", SecretKey: "secret"}, EncryptionKey: "open", Stanza: "main"}
	for want, target := range map[string]*Target{
		"with all that was archived":                         nil,
		"as it was at 2026-11-28T07:50:14Z":                  {Time: text("2026-11-28T07:50:14Z")},
		"as it was right before 2026-11-28T07:50:14Z":        {Time: text("2026-11-28T07:50:14Z"), Exclusive: &yes},
		"as it was at LSN 16/B374D848":                       {LSN: text("16/B374D848")},
		"as it was at the restore point before-upgrade":      {Name: text("before-upgrade")},
		"as it was right before the commit of transaction 7": {XID: text("7"), Exclusive: &yes},
		"as it was when the backup ended":                    {Immediate: &yes},
	} {
		r.Target = target
		assert.Equal(t, "the backups of main in s3://b/a/c at [fd00::1]:9000, "+want, r.About())
	}
	r.Target, r.Set = nil, text("20261122-110646F")
	assert.Equal(t, "the backup 20261122-110646F of main in s3://b/a/c at [fd00::1]:9000, with all that was archived", r.About())
}
