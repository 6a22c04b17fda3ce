package platform

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// site is the platform as its stacks have it, in their order.
type site struct{ etcd, dns, postgres *stack }

func (s site) all() []*stack { return []*stack{s.etcd, s.dns, s.postgres} }

// isBroughtBack loses all machines with all volumes, and does what the page says then. Without
// S3, the etcd here is founded empty, and PostgreSQL from a disk that was lost.
func (s site) isBroughtBack(t *testing.T) {
	t.Helper()
	key, stanza := s.etcd.Output("backupEncryptionKey"), s.postgres.Output("backupStanza")
	for _, each := range s.all() {
		for _, o := range each.World.Objects() {
			require.NoError(t, each.World.Take(o))
		}
		require.Eventually(t, func() bool { return each.runs == nil || !each.runs() }, time.Minute, 50*time.Millisecond)
	}
	for _, each := range []*stack{s.etcd, s.postgres} {
		each.set(t, "--secret", "restoreKey", each.Output("backupEncryptionKey"))
		each.Program(strings.ReplaceAll(each.program, "# restore", "restore")) // with sed, on the page
	}
	s.postgres.set(t, "restoreStanza", stanza)
	assert.Contains(t, s.etcd.Preview("--refresh").Diagnostics, "this update founds the cluster from a snapshot")
	for _, each := range s.all() {
		each.Up("--refresh")
	}
	assert.Equal(t, key, s.etcd.Output("backupEncryptionKey"))
	assert.Regexp(t, aStanza, s.postgres.Output("backupStanza"))
	assert.NotEqual(t, stanza, s.postgres.Output("backupStanza"))

	for _, each := range []*stack{s.etcd, s.postgres} {
		each.Program(each.program)
		for _, op := range each.Up().Ops("") {
			assert.NotRegexp(t, "replace.*(domain|volume)", op)
		}
	}
	s.areUnchanged(t)
}

func (s site) areUnchanged(t *testing.T) {
	t.Helper()
	for _, each := range s.all() {
		assert.True(t, each.Up().Unchanged())
	}
}

// stack is one of the platform's.
type stack struct {
	*engine.Stack
	program string
	runs    func() bool // whether a machine of it does
}

func (s *stack) set(t *testing.T, args ...string) {
	t.Helper()
	_, stderr, err := s.Run(append([]string{"config", "set"}, args...)...)
	require.NoError(t, err, stderr)
}
