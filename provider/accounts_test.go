package provider

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// TestServiceUsers requires each user that a machine is given for a service to be refused as
// its administrator, who may use sudo.
func TestServiceUsers(t *testing.T) {
	t.Parallel()
	states, err := filepath.Glob("testdata/*/*/state.yaml")
	require.NoError(t, err)
	seen := 0
	for _, path := range states {
		var state guest.State
		require.NoError(t, yaml.Unmarshal([]byte(read(t, path)), &state))
		for _, user := range state.Users {
			seen++
			assert.True(t, host.IsServiceUser(user.Name), "%s of %s", user.Name, path)
		}
	}
	assert.Positive(t, seen)
}
