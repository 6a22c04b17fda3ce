package guard_test

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// TestKeyGiven tells of a key that goes, and of none where it is the same, was given before, or backups come or go.
func TestKeyGiven(t *testing.T) {
	t.Parallel()
	of := func(id property.Value, given ...property.Value) property.Map {
		all := map[string]property.Value{"id": id}
		for _, v := range given {
			all["encryptionKeyGiven"] = v
		}
		return property.NewMap(all)
	}
	was, other, yes := property.New("5f2c-0d4e"), property.New("5f2c-91aa"), property.New(true)
	for _, now := range []property.Map{of(other, yes), of(property.New(property.Computed), yes)} {
		assert.Contains(t, guard.KeyGiven(of(was), now, "id", "backup.stanza"), "this update deletes the key that was made")
	}
	for _, c := range [][2]property.Map{
		{of(was), of(was, yes)}, // the one that was made, or an input that an earlier release did not have
		{of(was), of(other)},
		{of(was, yes), of(other, yes)},
		{of(was, yes), of(other)},
		{of(was), property.Map{}},
		{property.Map{}, of(other, yes)},
	} {
		assert.Empty(t, guard.KeyGiven(c[0], c[1], "id", "backup.stanza"))
	}
}
