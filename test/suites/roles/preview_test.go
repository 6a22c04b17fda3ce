package roles

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestPreviewOfParameters has parameters for which PostgreSQL must be restarted be named also where their
// values are secret or not known yet, and a change of spaces alone be told.
func TestPreviewOfParameters(t *testing.T) {
	t.Parallel()
	r := postgresServer
	s := engine.New(t, engine.Options{Program: r.program(t, "postgres: {params: {log_line_prefix: '%m'}}")})
	s.Up()
	s.Program(r.program(t, "postgres: {params: {log_line_prefix: '%m ', max_connections: {'fn::secret': '432'}, max_wal_senders: '${later.size}'}}") +
		"    later: {type: \"libvirt:Volume\", properties: {name: later.qcow2, pool: images}}\n")
	preview := s.Preview()
	assert.Contains(t, preview.Diagnostics, `one: 3 settings change
    postgres.params.log_line_prefix: %m -> "%m "
    postgres.params.max_connections: [secret] set
    postgres.params.max_wal_senders: not known yet
`)
	assert.Contains(t, preview.Diagnostics, "  PostgreSQL must be restarted for max_connections, max_wal_senders, after the update")
	assert.NotContains(t, preview.Stdout+preview.Stderr, "432")
}
