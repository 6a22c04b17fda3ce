package change

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFollowing tells what follows from settings apart from these, of nodes together where it is alike, and nothing of
// what an earlier release did not keep.
func TestFollowing(t *testing.T) {
	t.Parallel()
	lists := map[string][]string{"nodes": {"a", "b"}}
	before := settings{plain: map[string]string{
		"libvirt.memory": "8192", "nodes[a].ip": "1", "nodes[b].ip": "2",
		"nodes[a].follows.shared_buffers": "2048MB", "nodes[b].follows.shared_buffers": "2048MB", "nodes[a].follows.work_mem": "20MB",
		"nodes[b].follows.work_mem": "20MB", "follows.alone": "1",
	}}
	now := settings{plain: map[string]string{
		"libvirt.memory": "4096", "nodes[a].ip": "1", "nodes[b].ip": "2",
		"nodes[a].follows.shared_buffers": "1024MB", "nodes[b].follows.shared_buffers": "1024MB", "nodes[a].follows.work_mem": "10MB",
		"nodes[b].follows.work_mem": "20MB", "nodes[a].follows.new": "1", "nodes[b].follows.new": "", "follows.alone": "2",
	}}
	d := differences(before, now, lists)
	assert.Equal(t, []string{"libvirt.memory: 8192 -> 4096"}, d.lines)
	assert.Equal(t, []string{"libvirt.memory"}, d.paths)
	assert.Equal(t, []string{"alone: 1 -> 2", "shared_buffers: 2048MB -> 1024MB", "nodes[a]: work_mem: 20MB -> 10MB"}, d.following)
	assert.Empty(t, differences(before, before, lists).following)
	assert.Empty(t, differences(settings{plain: map[string]string{"libvirt.memory": "8192"}}, now, lists).following, "an earlier release kept none")
}
