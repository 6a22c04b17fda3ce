package server

import (
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/stretchr/testify/assert"
)

// TestIsOff tells the machines that a refresh saw off.
func TestIsOff(t *testing.T) {
	t.Parallel()
	off := func(was resource.PropertyMap) bool { return IsOff(&pulumi.ResourceHookArgs{OldOutputs: was}) }
	assert.True(t, off(resource.PropertyMap{"running": resource.NewProperty(false)}))
	assert.False(t, off(resource.PropertyMap{"running": resource.NewProperty(true)}))
	assert.False(t, off(resource.PropertyMap{}))
}
