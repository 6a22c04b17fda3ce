package health_test

import (
	"fmt"
	"testing"
	"time"

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
		there = "quorum_backup_last_success_timestamp_seconds{type=\"full\"} 1795654787\n"
		taken = "postgres-1: backup.stanza main has backups of the source, or of another cluster: give this one a stanza of its own"
	)
	told := of + fmt.Sprintf("quorum_backup_updated_timestamp_seconds %d\n", time.Now().Unix())
	g := newGate(t, w.inputs("standbyOf", source, "backupStanza", "main", "backupId", "4e1d"))
	g.timeout = 1
	for text, want := range map[string]string{
		"":           "postgres-1: it has not looked yet whether backup.stanza is free",
		told + there: taken,
	} {
		w.change(func() { metrics = text })
		require.ErrorContains(t, g.create(false), want)
	}
	for _, text := range []string{told, of + `quorum_backup_failure{of="backup",reason="S3 is away"} 1` + "\n"} {
		w.change(func() { metrics = text })
		require.NoError(t, g.create(false), text)
	}
	w.change(func() { metrics = told + there })
	require.NoError(t, g.update(w.inputs("standbyOf", source, "backupStanza", "main", "backupId", "4e1d", "triggers", map[string]any{"a": "b"})), "a later update may be needed for something else")
}
