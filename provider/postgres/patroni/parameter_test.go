package patroni

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParametersFollowEachOther(t *testing.T) {
	t.Parallel()
	assert.Greater(t, len(parameterList()), 350)
	for name, all := range parameterList() {
		for i, k := range all {
			assert.True(t, oldest <= k.from && k.from <= k.to && k.to <= newest, name)
			assert.True(t, i == 0 || all[i-1].to < k.from, name)
			assert.Contains(t, []string{"bool", "enum", "integer", "real", "string"}, k.kind, name)
		}
	}
}

func TestParametersAreReadAsPostgresReadsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, value string
		bytes       int
	}{
		{"shared_buffers", "16384", 128 << 20},
		{"shared_buffers", "0.5GB", 512 << 20},
		{"work_mem", " 8 MB ", 8 << 20},
		{"work_mem", "0x100", 256 << 10},
		{"max_wal_size", "1024", 1 << 30},
		{"work_mem", "8mb", 0},
		{"autovacuum", "on", 0},
	} {
		assert.Equal(t, c.bytes, bytesOf(c.name, c.value), "%s = %s", c.name, c.value)
	}
	fifteen, nineteen := "15", "19"
	for _, c := range []struct {
		name, value string
		version     *string
		fits        bool
	}{
		{"statement_timeout", "1.5h", nil, true},
		{"statement_timeout", "1H", nil, false},
		{"log_rotation_age", "1d", nil, true},
		{"wal_compression", "true", nil, true},
		{"log_connections", "receipt,setup_durations", nil, true}, // of 18
		{"log_connections", "receipt", &fifteen, false},
		{"something_new", "1", &nineteen, true},
		{"something_new", "1", nil, false},
		{"geqo_seed", "1e-2", nil, true},
		{"max_connections", "_1", nil, false},
		{"pg_stat_statements.max", "5000", nil, true},
	} {
		assert.Equal(t, c.fits, refused(c.name, c.value, c.version) == "", "%s = %s", c.name, c.value)
	}
	var on []string
	for _, word := range []string{"o", "on", "of", "OFF", "y", "tru", "1", "2", "", "truee"} {
		if isSwitch(word) {
			on = append(on, word)
		}
	}
	slices.Sort(on)
	assert.Equal(t, []string{"1", "OFF", "of", "on", "tru", "y"}, on)
}

// TestParametersHaveNamesInAnyCase takes names as PostgreSQL shows them, and as its own
// postgresql.conf has them.
func TestParametersHaveNamesInAnyCase(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"TimeZone": "Europe/Berlin", "timezone": "Europe/Berlin", "DateStyle": "iso, dmy", "datestyle": "iso, dmy",
		"IntervalStyle": "iso_8601", "intervalstyle": "iso_8601", "WORK_MEM": "8MB",
	} {
		assert.Empty(t, validateParams(map[string]string{name: value}, nil), name)
	}
	assert.NotEmpty(t, validateParams(map[string]string{"IntervalStyle": "none"}, nil))
}
