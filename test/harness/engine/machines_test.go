package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// sandbox stands in for the sandbox program: it notes what it is asked to do.
const sandbox = `#!/bin/sh
set -eu
echo "$*" >>"$SANDBOX_LOG"
case $2 in
up) touch "$QUORUM_CACHE/sandbox/quorum/disks/$3-$8.img"; stat -c '%a' "$5" "$5/user-data" >>"$SANDBOX_LOG" ;;
reseed) cat "$4/meta-data" >>"$SANDBOX_LOG" ;;
esac
`

const withVolume = `
resources:
  seed:
    type: libvirt:CloudInitDisk
    properties:
      name: a-seed.iso
      metaData: one
      userData: |
        #cloud-config
        write_files:
        - path: /var/lib/quorum/drive/state.json
          content: '{"volumes": [{"device": "/dev/vdb", "label": "etcd_data"}]}'
  root: {type: "libvirt:Volume", properties: {name: root}}
  data: {type: "libvirt:Volume", properties: {name: data}}
  a:
    type: libvirt:Domain
    properties:
      name: a
      cloudinit: ${seed.id}
      disks: [{volumeId: "${root.id}"}, {volumeId: "${data.id}"}]
      networkInterfaces: [{mac: "52:54:00:AA:00:01"}]
    options: {deleteBeforeReplace: true}
`

func TestMachinesBootThroughTheSandbox(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, log := filepath.Join(dir, "program"), filepath.Join(dir, "log")
	require.NoError(t, os.WriteFile(program, []byte(sandbox), 0o700))
	s := engine.New(t, engine.Options{Plugins: engine.Fakes, Program: withVolume, Env: map[string]string{
		"FAKE_MACHINES": "1", "FAKE_SANDBOX": program, "FAKE_ROOTFS": "/rootfs", "SANDBOX_LOG": log,
		"QUORUM_CACHE": dir, "QUORUM_SANDBOX": "quorum",
	}})
	seeds := filepath.Join(s.World.Dir(), "seeds", "a")

	disks := filepath.Join(dir, "sandbox", "quorum", "disks")
	require.NoError(t, os.MkdirAll(disks, 0o700))
	image := filepath.Join(disks, "a-etcd_data.img")

	s.Up()
	s.Program(replace(withVolume, "metaData: one", "metaData: two", "a-seed.iso", "b-seed.iso"))
	s.Up()
	require.NoError(t, os.WriteFile(image, []byte("data"), 0o600))
	s.Program(replace(withVolume, "metaData: one", "metaData: two", "a-seed.iso", "b-seed.iso",
		"      name: a\n", "      name: a\n      memory: 2048\n"))
	s.Up()
	kept, err := os.ReadFile(image)
	require.NoError(t, err)
	assert.Equal(t, "data", string(kept), "the data volume outlives the domain")
	s.Destroy()
	assert.NoFileExists(t, image)

	content, err := os.ReadFile(log)
	require.NoError(t, err)
	up := "machine up a /rootfs " + seeds + " 52:54:00:aa:00:01 --disk etcd_data\n700\n600\n"
	assert.Equal(t, up+"machine reseed a "+seeds+"\ntwo"+"machine down a --keep-disk\n"+up+"machine down a --keep-disk\n", string(content))
	assert.NoDirExists(t, seeds)
}
