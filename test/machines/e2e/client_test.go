//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// client is an etcdctl in the machines' network, with options of its own.
type client []string

func newClient(endpoints, ca string, options ...string) client {
	return append(client{
		"shell", "timeout", "60", "env", "ETCDCTL_API=3", "etcdctl", "--dial-timeout=5s", "--command-timeout=10s",
		"--endpoints=" + endpoints, "--cacert=" + ca,
	}, options...)
}

// endpoints are those of etcd by a stack's output.
func endpoints(s *engine.Stack) string {
	var all []string
	for _, endpoint := range s.Outputs()["endpoints"].([]any) {
		all = append(all, fmt.Sprint(endpoint))
	}
	return strings.Join(all, ",")
}

func (c client) try(args ...string) (string, error) {
	return sandbox(append(c[:len(c):len(c)], args...)...)
}

func (c client) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.try(args...)
	require.NoError(t, err)
	return out
}

// refused checks that the client may neither read nor write.
func (c client) refused(t *testing.T, why string) {
	t.Helper()
	for _, args := range [][]string{{"put", "intruder", "was here"}, {"get", "greeting"}} {
		_, err := c.try(args...)
		if assert.Error(t, err, "%v", args) {
			assert.Regexp(t, why, err.Error(), "%v", args)
		}
	}
}

// secretFile writes a file that only its owner reads.
func secretFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}
