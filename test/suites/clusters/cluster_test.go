// Package clusters has the real engine and real etcd go through what a cluster
// goes through: its machines are those of a fake libvirt.
package clusters

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/etcdmachines"
)

// cluster is a stack with an EtcdCluster, and its machines.
type cluster struct {
	*engine.Stack
	machines *etcdmachines.Machines
	subnet   string
	options  options
	ca       *authority // if the test has one of its own
}

// options are what tests change in the program.
type options struct {
	members []string // their names; etcd-1 has the address .1
	memory  int
	image   string
	data    string            // the size of data volumes
	pool    string            // their pool
	extra   string            // further inputs
	of      map[string]string // further inputs of a member's libvirt
	at      map[string]string // last parts of members' addresses, where their names do not say them
	limit   string            // for a member
	key     string            // of the administrator, if it is another
	dns     string            // servers, in a list of YAML
	next    bool              // whether there is an authority to come

	external []string          // members whose machines are somebody else's
	certs    map[string]string // ready-made, of members
}

func newCluster(t *testing.T, names ...string) *cluster {
	t.Helper()
	subnet := loopback.Subnet(t)
	o := options{members: names, memory: 1024, image: "debian-13.qcow2", limit: "90s"}
	s := engine.New(t, engine.Options{Program: o.program(subnet)})
	return &cluster{Stack: s, machines: etcdmachines.Run(t, s.World), subnet: subnet, options: o}
}

// change gives the program another form.
func (c *cluster) change(to func(*options)) {
	to(&c.options)
	c.Program(c.options.program(c.subnet))
}

func (o options) program(subnet string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
resources:
  main:
    type: quorum:EtcdCluster
    options: {customTimeouts: {create: %[1]s, update: %[1]s, delete: %[1]s}}
    properties:
      sshAdminPublicKey: %[2]s
%[3]s      members:
`, o.limit, cmp.Or(o.key, engine.SSHKey), o.extra)
	for _, name := range o.members {
		fmt.Fprintf(&b, `        - name: %s
          libvirt:
            memory: %d
            volume: {pool: default, baseVolumeName: %s}
            dataVolume: {pool: %s, size: %s}
            cloudInitVolumePool: default
            networks: [{networkName: default, ip: %s.%s, prefixLength: 24, dnsServers: [%s]}]
%s`, name, o.memory, o.image, cmp.Or(o.pool, "default"), cmp.Or(o.data, "12884901888"), subnet, cmp.Or(o.at[name], name[strings.LastIndex(name, "-")+1:]), o.dns, o.of[name])
		if slices.Contains(o.external, name) {
			b.WriteString("          external: true\n")
		}
		b.WriteString(o.certs[name])
	}
	if o.next {
		b.WriteString(`  nextKey: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P256}}
  next:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${nextKey.privateKeyPem}
      isCaCertificate: true
      allowedUses: [cert_signing, crl_signing]
      validityPeriodHours: 8760
      subject: {commonName: next}
`)
	}
	b.WriteString(`outputs:
  endpoints: ${main.endpoints}
  caCert: ${main.caCert}
  rootCert: ${main.rootCert}
  rootKey: ${main.rootKey}
  clusterId: ${main.clusterId}
  memberIds: ${main.memberIds}
`)
	return b.String()
}

// order is what happened to domains and to what an etcd cluster asks, in that order.
func order(r engine.Result) []string { return steps(r, "Domain", "EtcdHealth", "EtcdMember") }

// steps are those of the cluster's resources of some types.
func steps(r engine.Result, types ...string) (all []string) {
	for _, step := range r.Steps {
		kind := step.Type[strings.LastIndex(step.Type, ":")+1:]
		if name, is := strings.CutPrefix(step.Name, "main-"); is && slices.Contains(types, kind) && step.Op != "replace" {
			all = append(all, step.Op+" "+kind+" "+name)
		}
	}
	return all
}

func TestRollsOneByOne(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
	c.Up()
	before, writer := c.voters(t), c.write(t)
	c.change(func(o *options) { o.image = "debian-14.qcow2" })
	up := c.Up()
	assert.Equal(t, []string{
		"update EtcdHealth plan",
		"update EtcdHealth without-etcd-1", "delete-replaced Domain etcd-1-domain", "create-replacement Domain etcd-1-domain", "update EtcdMember etcd-1",
		"update EtcdHealth without-etcd-2", "delete-replaced Domain etcd-2-domain", "create-replacement Domain etcd-2-domain", "update EtcdMember etcd-2",
		"update EtcdHealth without-etcd-3", "delete-replaced Domain etcd-3-domain", "create-replacement Domain etcd-3-domain", "update EtcdMember etcd-3",
		"update EtcdHealth healthy",
	}, order(up))
	assert.Equal(t, before, c.voters(t), "they are who they were: their data outlived the machines")
	writer.stop(t)
	assert.True(t, c.Up().Unchanged())
}

// TestQuickstart runs the program of the repository's root.
func TestQuickstart(t *testing.T) {
	t.Parallel()
	subnet := loopback.Subnet(t)
	s := engine.New(t, engine.Options{Program: engine.Example(t, "Pulumi.yaml"), Config: map[string]string{
		"sshPublicKey": engine.SSHKey, "subnet": subnet,
	}})
	c := &cluster{Stack: s, machines: etcdmachines.Run(t, s.World)}
	preview := c.Preview()
	assert.Empty(t, s.World.Events(), "a preview touches nothing")
	up := c.Up()
	assert.Equal(t, preview.Changes["create"], up.Changes["create"], "preview tells what up does")
	assert.Len(t, c.voters(t), 3)
	assert.True(t, c.Preview().Unchanged())
	assert.True(t, c.Up().Unchanged())
	assert.True(t, c.Refresh().Unchanged())
	for what, text := range map[string]string{"state": s.Export(), "output": up.Stdout + up.Stderr + preview.Stdout} {
		assert.NotContains(t, text, "PRIVATE KEY", what)
		assert.NotContains(t, text, "#cloud-config", what)
	}
	c.Destroy()
	assert.Empty(t, s.World.Objects(), "nothing is left behind")
}
