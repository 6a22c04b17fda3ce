package host_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestBackups has node exporter find what quorum-backup tells, and nothing that it never will.
func TestBackups(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of             host.Backups
		looks, restore bool
	}{
		"backups":           {host.Backups{Schedules: []string{"weekly"}}, true, false},
		"a restore":         {host.Backups{Restores: true}, false, true},
		"a restore of them": {host.Backups{Schedules: []string{"weekly"}, Restores: true}, true, true},
	} {
		var s guest.State
		require.NoError(t, c.of.Add(&s))
		unit := s.Files[0].Content
		assert.Equal(t, c.looks, strings.Contains(unit, "metrics.prom"), name)
		assert.Equal(t, c.restore, strings.Contains(unit, "restore.prom"), name)
		assert.Equal(t, c.looks, len(s.Services[0].Verify) > 0, name)
	}
}
