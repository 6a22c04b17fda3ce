package provider

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPostgresServerUnknowns previews a node whose inputs come from resources
// that are not there yet, as from an etcd of the same update.
func TestPostgresServerUnknowns(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"tls": `
tls: {caCert: !unknown "", serverCert: !unknown "", serverKey: !unknown "", clientCert: !unknown "", clientKey: !unknown ""}`,
		"ca": `
tls: null
ca: {cert: !unknown "", key: !unknown ""}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := merge(postgresServer.inputs(t, "minimal-tls"), readInputs(t, `
postgres: {superuserPassword: !unknown "", params: {work_mem: !unknown ""}}
patroni: {scope: !unknown "", ttl: !unknown ""}
etcd: {endpoints: !unknown "", caCert: !unknown "", password: !unknown ""}
libvirt:
  networks: [{networkName: default, ip: !unknown "", prefixLength: 24}]`+more))
			_, resp, err := construct(t, postgresServer, in, true)
			require.NoError(t, err)
			for _, output := range []string{"ip", "endpoint", "apiEndpoint", "caCert"} {
				v, has := resp.State.GetOk(output)
				require.Truef(t, has && v.IsComputed(), "%s is %v", output, v)
			}
		})
	}
}

// What a node on OpenStack that is backed up has beside the minimal inputs, and one that is founded from a backup.
const (
	onOpenStack = `
libvirt: null
openstack:
  imageId: 11111111-2222-3333-4444-555555555555
  flavorId: 3
  networkPort: {networkId: 55555555-2222-3333-4444-555555555555, subnetId: 66666666-2222-3333-4444-555555555555, ip: 10.77.0.11}
  keypairName: admin
  dataVolume: {size: 10}
backup:
  s3: {endpoint: "https://s3.example.org", bucket: backups, accessKey: !secret key-of-s3, secretKey: !secret secret-of-s3}
  encryptionKey: !secret key-of-all-backups
  stanza: main`
	restored = `
restore:
  s3: {endpoint: "https://s3.example.org", bucket: other, accessKey: !secret other-key-of-s3, secretKey: !secret other-secret-of-s3}
  encryptionKey: !secret key-of-other-backups
  stanza: before
  target: {time: "2026-11-22T14:32:00Z"}`
)

// TestPostgresServerRestored has an instance of OpenStack stay when `restore` is taken out. One
// that is made is handed it.
func TestPostgresServerRestored(t *testing.T) {
	t.Parallel()
	made := func(more string) (trigger, state string) {
		w, _, err := construct(t, postgresServer, merge(postgresServer.inputs(t, "minimal-tls"), readInputs(t, onOpenStack+more)), false)
		require.NoError(t, err)
		for _, child := range w.order {
			if child.TypeToken == "openstack:compute/instance:Instance" {
				trigger = child.RegisterRPC.GetReplacementTrigger().GetStringValue()
			}
		}
		require.NotEmpty(t, trigger)
		return trigger, deliveredTo(t, w.child(t, "-instance"))["state.yaml"]
	}
	trigger, state := made(restored)
	for _, what := range []string{"/etc/quorum-backup/restore.conf", "method: quorum_restore", "stanza\": \"before\""} {
		assert.True(t, strings.Contains(state, what), what)
	}
	without, state := made("")
	assert.Equal(t, trigger, without)
	assert.False(t, strings.Contains(state, "quorum_restore"))
	another, _ := made("\n  archiveTimeout: 31")
	assert.NotEqual(t, trigger, another)
}
