package health

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParametersOfExisting(t *testing.T) {
	t.Parallel()
	var has dynamic
	require.NoError(t, json.Unmarshal([]byte(`{"postgresql": {"parameters": {"max_connections": 1000000, "Work_Mem": "64MB", "wal_log_hints": true, "hot_standby_feedback": "on",
		"shared_preload_libraries": "pg_stat_statements", "log_lock_waits": "off", "jit": false, "ssl_cert_file": "/etc/patroni/tls/server.crt"}}}`), &has))
	g := &gate{HealthArgs: HealthArgs{Plan: &Plan{Parameters: map[string]string{"work_mem": "64MB", "wal_log_hints": "on", "hot_standby_feedback": "TRUE", "log_lock_waits": "on", "jit": "on", "port": "1"}}}}
	g.last.config = has
	assert.Equal(t, []string{
		`jit from "false" to "on"`,
		`log_lock_waits from "off" to "on"`,
		`max_connections from "1000000" to its default`,
		`shared_preload_libraries from "pg_stat_statements" to its default`,
	}, g.parametersLater())
	g.Plan.Parameters = nil
	assert.Empty(t, g.parametersLater(), "a preview does not know them")
	g.last.config = dynamic{}
	g.Plan.Parameters = map[string]string{"jit": "on"}
	assert.Empty(t, g.parametersLater(), "the cluster's could not be read")
}
