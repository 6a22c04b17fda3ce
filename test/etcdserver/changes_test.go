package etcdserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

// member is a member alone, so that a test can change its inputs. Lines are
// further inputs, and further inputs of its libvirt.
func member(inputs, libvirt string) string {
	return engine.Authority + fmt.Sprintf(`  base: {type: "libvirt:Volume", properties: {name: base.qcow2, pool: images}}
  etcd-1:
    type: quorum:EtcdServer
    properties:
      sshAdminPublicKey: %s
      libvirt:
        volume: {pool: default, baseVolumeId: "${base.id}"}
        cloudInitVolumePool: default
        networks: [{networkName: default, ip: 10.77.0.11, prefixLength: 24}]
        %s
      cluster: {initialMembers: [{name: etcd-1, ip: 10.77.0.11}]}
      ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
      %s
`, engine.SSHKey, libvirt, inputs)
}

const (
	live    = "replace CloudInitDisk, update Domain"
	rebuild = "replace CloudInitDisk, replace Domain, replace Volume"
	restart = "replace Domain"
)

// TestChanges says what each kind of change does to a machine, in preview as in up.
func TestChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ inputs, libvirt, want string }{
		"etcd's settings":  {inputs: "etcd: {spaceQuota: 1073741824}", want: live},
		"clock":            {inputs: "chrony: {pools: [{url: pool.example.org}]}", want: live},
		"authentication":   {inputs: "auth: {bootstrap: true}", want: live},
		"proxy":            {inputs: "aptProxy: http://10.77.0.1:3142", want: live},
		"user":             {inputs: "sshAdminUser: other", want: rebuild},
		"console password": {inputs: "adminUserPassword: {fn::secret: pass-word}", want: rebuild},
		"memory":           {libvirt: "memory: 4096", want: restart},
		"processors":       {libvirt: "vcpus: 4", want: restart},
		"drive's name":     {libvirt: "cloudInitVolumeName: mine.iso", want: rebuild},
		"data volume":      {libvirt: "dataVolume: {pool: default, size: 1073741824}", want: "replace CloudInitDisk, create Volume, replace Domain"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: member("", "")})
			s.Up()
			s.Program(member(c.inputs, c.libvirt))
			preview, up := s.Preview(), s.Up()
			assert.Equal(t, sorted(c.want), ops(preview), "preview")
			assert.Equal(t, sorted(c.want), ops(up), "up")
			assert.True(t, s.Up().Unchanged())
			s.Destroy()
			assert.Empty(t, s.World.Objects())
		})
	}
}

// ops are what happens to which type, each once.
func ops(r engine.Result) string {
	var all []string
	for _, step := range r.Steps {
		if step.Op == "create-replacement" || step.Op == "delete-replaced" {
			continue
		}
		all = append(all, step.Op+" "+step.Type[strings.LastIndex(step.Type, ":")+1:])
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

func sorted(list string) string {
	all := strings.Split(list, ", ")
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// TestRenewal has a certificate come near its end.
func TestRenewal(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: member("", "")})
	s.Up()
	s.World.Advance(340 * 24 * time.Hour)
	up := s.Up()
	assert.Equal(t, sorted("replace LocallySignedCert, "+live), ops(up))
	assert.True(t, s.Up().Unchanged())
}

// TestFixedDrive rebuilds the machine at each change.
func TestFixedDrive(t *testing.T) {
	t.Parallel()
	fixed := "cloudInitVolumeName: mine.iso"
	s := engine.New(t, engine.Options{Program: member("", fixed)})
	s.Up()
	s.Program(member("etcd: {spaceQuota: 1073741824}", fixed))
	assert.Equal(t, sorted(rebuild), ops(s.Preview()))
	assert.Equal(t, sorted(rebuild), ops(s.Up()))
}

// TestMove has a member move to another hypervisor.
func TestMove(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: member("", "uri: qemu+ssh://a/system")})
	s.Up()
	s.Program(member("", "uri: qemu+ssh://b/system"))
	s.Up()
	for _, o := range s.World.Objects() {
		if strings.Contains(o.Name, "etcd-1") {
			assert.Contains(t, o.Host, "b", o.Name)
		}
	}
	assert.True(t, s.Up().Unchanged())
}

// TestBadInputs fails in preview as in up, and makes nothing.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: member(
		"auth: {bootstrap: true, rootPassword: {fn::secret: not-to-be-seen}}", "memory: 1")})
	for _, r := range []engine.Result{s.PreviewFails(), s.UpFails()} {
		assert.Contains(t, r.Diagnostics, "libvirt.memory: must be 256 (MiB) or more, not 1")
		assert.Contains(t, r.Diagnostics, "auth.rootPassword: must not be given with clientCertAuth")
		assert.NotContains(t, r.Stdout+r.Stderr, "not-to-be-seen")
	}
	assert.Empty(t, s.World.Names("Domain"))
	assert.Empty(t, s.World.Names("CloudInitDisk"))
}

// TestAttachment has the interface of a machine move to another network.
func TestAttachment(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: member("", "")})
	s.Up()
	s.Program(strings.Replace(member("", ""), "networkName: default", "networkName: other", 1))
	assert.Equal(t, restart, ops(s.Up()))
	assert.Contains(t, fmt.Sprint(s.Resource("Domain", "etcd-1-domain").Inputs["networkInterfaces"]), "networkName:other")
	assert.True(t, s.Up().Unchanged())
}
