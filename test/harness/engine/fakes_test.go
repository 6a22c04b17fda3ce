package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const machine = `
resources:
  seed:
    type: libvirt:CloudInitDisk
    properties: {name: a-seed.iso, pool: pool, userData: "#cloud-config"}
  disk:
    type: libvirt:Volume
    properties: {name: a.qcow2, pool: pool, baseVolumeName: base}
  a:
    type: libvirt:Domain
    properties:
      name: a
      memory: 1024
      cloudinit: ${seed.id}
      disks: [{volumeId: "${disk.id}"}]
      networkInterfaces: [{networkName: quorum, mac: "52:54:00:00:00:01"}]
outputs:
  disk: ${disk.id}
  mac: ${a.networkInterfaces[0].mac}
`

func fakes(t *testing.T, program string) *engine.Stack {
	t.Helper()
	return engine.New(t, engine.Options{Plugins: engine.Fakes, Program: program})
}

func TestUpTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	s := fakes(t, machine)

	preview := s.Preview()
	assert.Equal(t, 4, preview.Changes["create"]) // the stack too
	assert.Empty(t, s.World.Events())

	s.Up()
	assert.Equal(t, []string{"a"}, s.World.Names("Domain"))
	assert.Equal(t, "#cloud-config", s.World.UserData("a"))
	assert.Equal(t, map[string]any{
		"disk": "/var/lib/libvirt/images/pool/a.qcow2", "mac": "52:54:00:00:00:01",
	}, s.Outputs())
	assert.Regexp(t, `^/var/lib/libvirt/images/pool/a-seed.iso;[0-9a-f-]{36}$`, s.Resource("CloudInitDisk", "seed").ID)

	assert.True(t, s.Preview().Unchanged())
	assert.True(t, s.Up().Unchanged())
	assert.True(t, s.Refresh().Unchanged())

	s.Destroy()
	assert.Empty(t, s.World.Objects())
}

func TestOnlySomeChangesReplace(t *testing.T) {
	t.Parallel()
	s := fakes(t, machine)
	s.Up()

	s.Program(replace(machine, "a-seed.iso", "b-seed.iso"))
	live := s.Up()
	assert.Equal(t, []string{"update a"}, live.Ops("Domain"))
	assert.Contains(t, live.Ops("CloudInitDisk"), "replace seed")

	s.Program(replace(machine, "a-seed.iso", "b-seed.iso", "memory: 1024", "memory: 2048"))
	s.World.Forget()
	rebuild := s.UpFails() // the old one is still there: no deleteBeforeReplace
	assert.Contains(t, rebuild.Diagnostics, `Domain "a" on default: already exists`)
	assert.Equal(t, []string{"create collision Domain a"}, s.World.Log(""))
	step, ok := rebuild.Step("create-replacement", "Domain", "a")
	assert.True(t, ok && step.Failed && !step.Done)
	assert.Equal(t, []string{"memory"}, step.Keys)
}

func TestFailedCreateResumes(t *testing.T) {
	t.Parallel()
	s := fakes(t, machine)

	s.World.Fail("create", "Domain", "a", "no space left on the host")
	assert.Contains(t, s.UpFails().Diagnostics, "no space left on the host")
	assert.Empty(t, s.World.Names("Domain"))
	assert.Len(t, s.World.Names("Volume"), 1)

	s.World.Heal("create", "Domain", "a")
	assert.Equal(t, []string{"create a"}, s.Up().Ops("Domain"))
	assert.True(t, s.Preview().Unchanged())
}

func TestFailedStartLeavesDomainDefined(t *testing.T) {
	t.Parallel()
	s := fakes(t, machine)

	s.World.Fail("start", "Domain", "a", "")
	s.UpFails()
	assert.Equal(t, []string{"a"}, s.World.Names("Domain"))

	s.World.Heal("start", "Domain", "a")
	assert.Contains(t, s.UpFails().Diagnostics, "already exists")

	s.World.Remove("Domain", "a")
	s.Up()
}

func TestRefreshSeesWhatIsGone(t *testing.T) {
	t.Parallel()
	s := fakes(t, machine)
	s.Up()

	s.World.Remove("Domain", "a")
	s.Refresh()
	assert.Equal(t, []string{"create a"}, s.Preview().Ops("Domain"))
}

func TestWrongInputsAreRefused(t *testing.T) {
	t.Parallel()
	s := fakes(t, `
		resources:
		  key: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P257}}
	`)
	assert.Contains(t, s.UpFails().Diagnostics, `invalid ECDSA curve "P257"`)
}

func TestTimeIsTakenFromTheWorld(t *testing.T) {
	t.Parallel()
	s := fakes(t, certificates)
	s.Up()

	s.World.Advance(11 * 24 * time.Hour)
	assert.True(t, s.Preview().Unchanged())
	s.World.Advance(13 * 24 * time.Hour)
	renewal := s.Up()
	step, ok := renewal.Step("replace", "LocallySignedCert", "cert")
	require.True(t, ok)
	assert.Equal(t, []string{"readyForRenewal"}, step.Keys)
	assert.True(t, s.Preview().Unchanged())
}
