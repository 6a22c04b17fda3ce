package wait_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

func TestSeen(t *testing.T) {
	t.Parallel()
	given := map[string]string{"settings": "a1", wait.SeenTrigger: "etcd-1 did not answer"}
	assert.Equal(t, map[string]string{"settings": "a1"}, wait.Seen(given, ""))
	assert.Equal(t, map[string]string{"settings": "a1", "seen": "etcd-2 is sick"}, wait.Seen(given, "etcd-2 is sick"))
	assert.Equal(t, map[string]string{"seen": "etcd-2 is sick"}, wait.Seen(nil, "etcd-2 is sick"))
	assert.Equal(t, "etcd-1 did not answer", given[wait.SeenTrigger], "what was given stays")
}

func TestAgain(t *testing.T) {
	t.Parallel()
	looks := 0
	wait.Again(t.Context(), func() bool { looks++; return looks < 2 })
	assert.Equal(t, 2, looks, "until nothing lacks")

	looks = 0
	over, cancel := context.WithCancel(t.Context())
	cancel()
	wait.Again(over, func() bool { looks++; return true })
	assert.Equal(t, 1, looks, "no longer than the refresh itself")
}
