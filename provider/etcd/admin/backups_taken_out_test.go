package admin

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
)

// TestEndOfBackups says what is to be kept, and nothing of backups that go on.
func TestEndOfBackups(t *testing.T) {
	t.Parallel()
	with := func(repository property.Value) property.Map {
		return property.NewMap(map[string]property.Value{"repository": repository})
	}
	was, none := with(property.New("5f2c91aa-0d4e")), property.Map{}
	assert.Contains(t, endOfBackups(was, none), "this update deletes their key from the state")
	for _, now := range []property.Map{was, with(property.New("another")), with(property.New(property.Computed))} {
		assert.Empty(t, endOfBackups(was, now))
	}
	assert.Empty(t, endOfBackups(none, none))
	assert.Empty(t, endOfBackups(none, was))
}
