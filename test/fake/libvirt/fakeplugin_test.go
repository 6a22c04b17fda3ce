package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReplaces(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]map[string]map[string]bool{
		"libvirt": {
			"libvirt:index/domain:Domain": {
				"name": true, "memory": true, "vcpu": true, "disks": true, "cpu": true, "type": true, "consoles": true,
				"graphics": true, "cloudinit": false, "autostart": false, "running": false, "networkInterfaces": false,
				"qemuAgent": false, "bootDevices": false,
			},
			"libvirt:index/volume:Volume":               {"size": true, "baseVolumeId": true, "pool": true},
			"libvirt:index/cloudInitDisk:CloudInitDisk": {"userData": true, "metaData": true, "networkConfig": true},
		},
		"tls": {
			"tls:index/locallySignedCert:LocallySignedCert": {"earlyRenewalHours": false, "validityPeriodHours": true},
		},
	} {
		schema, err := loadSchema(name)
		require.NoError(t, err)
		for typ, keys := range keys {
			for key, want := range keys {
				assert.Contains(t, schema.Resources[typ].InputProperties, key)
				assert.Equal(t, want, schema.replaces(typ, key), "%s %s", typ, key)
			}
		}
	}
}

func TestDiskLabels(t *testing.T) {
	t.Parallel()
	for name, userData := range map[string]string{
		"plain": `
write_files:
- path: /etc/motd
- path: /var/lib/quorum/drive/state.json
  content: '{"volumes": [{"label": "etcd_data"}, {"label": "wal"}]}'`,
		"base64": `
write_files:
- path: /var/lib/quorum/drive/state.json
  encoding: b64
  content: eyJ2b2x1bWVzIjogW3sibGFiZWwiOiAiZXRjZF9kYXRhIn0sIHsibGFiZWwiOiAid2FsIn1dfQ==`,
		"compressed": `
write_files:
- path: /var/lib/quorum/drive/state.json
  encoding: gz+b64
  content: ` + "H4sIAAAAAAACA6tWKsvPKc1NLVayUoiuVspJTErNATKVUkuSU+JTEksSlWp1FJDEyxNzlGpjawETYlc/NwAAAA==",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			labels, err := diskLabels(userData)
			require.NoError(t, err)
			assert.Equal(t, []string{"etcd_data", "wal"}, labels)
		})
	}
}
