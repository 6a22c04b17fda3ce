package health_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestStandbyArchive has the leader of a standby cluster tell of the stanza that it is given, in which nobody's backups may be.
func TestStandbyArchive(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 233, names(2)...).follows()
	var metrics string
	w.nodes[0].exports(func() (text string) {
		w.change(func() { text = metrics })
		return text
	})
	const (
		of    = "quorum_backup_info{stanza=\"main\",id=\"4e1d\"} 1\nquorum_backup_leader 0\n"
		used  = "quorum_backup_in_use 1\n"
		free  = "quorum_backup_in_use 0\n"
		taken = "postgres-1: backup.stanza main has backups or WAL of the source, or of another cluster: give this one a stanza of its own"
		early = "postgres-1: it has not looked yet whether backup.stanza is free"
	)
	told := of + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Add(time.Minute).Unix())
	former := of + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Add(-time.Minute).Unix())
	in := w.inputs("standbyOf", source, "backupStanza", "main", "backupId", "4e1d")
	g := newGate(t, in)
	g.timeout = 1
	for text, want := range map[string]string{"": early, told: early, told + used: taken, former + used: early, strings.Replace(told+used, "main", "other", 1): early} {
		w.change(func() { metrics = text })
		require.ErrorContains(t, g.create(false), want, text)
	}
	w.change(func() { metrics = told + used })
	made, err := g.Create(p.CreateRequest{Urn: gateURN, Properties: g.inputs, Timeout: g.timeout})
	require.ErrorContains(t, err, taken)
	g.state = made.Properties
	require.ErrorContains(t, g.update(in), taken, "the update after the one that failed")
	w.change(func() { metrics = told + `quorum_backup_failure{of="backup",reason="S3 is away"} 1` + "\n" })
	require.NoError(t, g.create(false), "S3 is away")
	assert.False(t, g.state.Get("freeStanza").IsString())
	w.change(func() { metrics = told + free })
	require.NoError(t, g.create(false))
	assert.Equal(t, "main", g.state.Get("freeStanza").AsString())
	w.change(func() { metrics = told + used })
	require.NoError(t, g.update(w.inputs("standbyOf", source, "backupStanza", "main", "backupId", "4e1d", "triggers", map[string]any{"a": "b"})), "a later update may be needed for something else")
}
