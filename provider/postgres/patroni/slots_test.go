package patroni_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLogicalSlots has Patroni leave alone slots of logical replication, which it would drop while nobody uses them, where
// there may be some. The settings of all other clusters are what they were.
func TestLogicalSlots(t *testing.T) {
	t.Parallel()
	for level, ignored := range map[string]any{"": nil, "replica": nil, "logical": []any{map[string]any{"type": "logical"}}, "LOGICAL": []any{map[string]any{"type": "logical"}}} {
		c := node("10.77.0.11")
		if level != "" {
			c.Postgres.Params = map[string]string{"WAL_level": level}
		}
		assert.Equal(t, ignored, section(t, c, "bootstrap", "dcs", "ignore_slots"), level)
		var own struct{ Settings map[string]any }
		require.NoError(t, json.Unmarshal([]byte(filesOf(t, c)["/etc/patroni/quorum.json"].Content), &own))
		is, has := own.Settings["ignore_slots"]
		assert.Equal(t, ignored, is, level)
		assert.Equal(t, ignored != nil, has, level)
	}
}
