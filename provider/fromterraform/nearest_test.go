package fromterraform

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// textOf is a program on one line.
func textOf(t *testing.T, all []Resource) string {
	t.Helper()
	made, err := Convert("x", all)
	require.NoError(t, err)
	return strings.Join(strings.Fields(string(made.Text)), " ")
}

// TestOtherUserDataOfCount is never that of another machine.
func TestOtherUserDataOfCount(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "openstack")
	for i, r := range all {
		if strings.HasPrefix(r.Module, "module.older[") {
			all[i].Module = "module.older"
			all[i].Address = strings.Replace(r.Address, r.Module, "module.older", 1) + strings.TrimPrefix(r.Module, "module.older")
		}
		if r.Type == "openstack_compute_instance_v2" {
			r.Values["user_data"] = strings.Repeat("0", 40)
		}
	}
	program := textOf(t, all)
	for _, want := range []string{"- name: etcd-1-dev external: true openstack: networkPort:", "- name: etcd-2-dev external: true openstack: networkPort:", "- name: etcd-3-dev external: true openstack: networkPort:"} {
		assert.Equal(t, 1, strings.Count(strings.ReplaceAll(program, "openstack: # the machine was made with", "openstack: networkPort: #"), want), want)
	}
	assert.Equal(t, 3, strings.Count(program, "name: etcd-"))
	assert.Equal(t, "[1]", keyOfIndex("a.b[1]"))
	assert.Empty(t, keyOfIndex(`m["x"].b`))
}

// TestAuthenticationByCertificate is likely off, also with the modules' script.
func TestAuthenticationByCertificate(t *testing.T) {
	t.Parallel()
	program := textOf(t, stateOf(t, "etcd", `\"client-cert-auth\": false`, `\"client-cert-auth\": true`))
	assert.Contains(t, program, "Authentication is likely off")
}

// TestWhatNodesDoNotShare says who has other settings.
func TestWhatNodesDoNotShare(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "postgres")
	for _, r := range all {
		if r.Address == `module.postgres["postgres-2"].libvirt_cloudinit_disk.postgres` {
			r.Values["user_data"] = strings.NewReplacer(`"ttl": 60`, `"ttl": 30`, `"max_connections": "200"`, `"max_connections": "500"`, "/etc/postgres/tls/ca.crt", "/x").Replace(r.Values.text("user_data"))
		}
	}
	// Another authority may be another cluster's, so that only settings differ here.
	program := textOf(t, all)
	for _, input := range []string{"patroni", "postgres.params", "ca"} {
		assert.Contains(t, program, "# "+input+`: another value is in module.postgres["postgres-2"].libvirt_domain.postgres`)
	}
	assert.NotContains(t, program, "certificate: another value")
}

// TestDisks have the data on the first volume after the root.
func TestDisks(t *testing.T) {
	t.Parallel()
	with := func(disks ...any) string {
		all := stateOf(t, "etcd")
		for _, r := range all {
			if r.Address == "module.etcd[0].libvirt_domain.etcd" {
				old, _ := r.Values["disk"].([]any)
				r.Values["disk"] = append(append([]any{}, old[0]), disks...)
			}
		}
		return onWords(textOf(t, all), "name: etcd-1", "name: etcd-2")
	}
	iso, data := map[string]any{"file": "/x.iso"}, map[string]any{"volume_id": "/data"}
	program := with(iso, data, json.Number("1"))
	assert.Contains(t, program, "dataVolumeId: /data")
	assert.NotContains(t, program, "lie on its root disk")
	program = with(iso)
	assert.Contains(t, program, "none of the other disks")
	assert.NotContains(t, program, "lie on its root disk")
	assert.Contains(t, with(), "lie on its root disk")
}

// TestBrokenPart is left out, as cloud-init does, and the rest is read.
func TestBrokenPart(t *testing.T) {
	t.Parallel()
	all := stateOf(t, "etcd")
	for _, r := range all {
		if r.Address == "module.etcd[0].libvirt_cloudinit_disk.etcd" {
			r.Values["user_data"] = strings.Replace(r.Values.text("user_data"), `"preserve_hostname": false`, `"preserve": [hunter2`, 1)
		}
	}
	made, err := Convert("x", all)
	require.NoError(t, err)
	assert.Equal(t, []string{"module.etcd[0].libvirt_cloudinit_disk.etcd, user_data: of the user data a part is not YAML, at or after line"}, []string{strings.SplitAfter(made.Problems[0], "line")[0]})
	assert.Contains(t, strings.Join(strings.Fields(string(made.Text)), " "), "- name: etcd-1 external: true libvirt:")
	assert.NotContains(t, string(made.Text)+made.Problems[0], "hunter2")
}

// TestBeforeCloudConfig there may be a byte order mark, or the word that it is a template.
func TestBeforeCloudConfig(t *testing.T) {
	t.Parallel()
	for before, broken := range map[string]int{"\ufeff": 0, "## template: jinja\n": 0, "\ufeff## template:jinja\n": 0, "## template: jinja\n#cloud-config\n# {{ x }}\n": 1} {
		d, err := readDocuments("there", before+document)
		require.NoError(t, err, before)
		assert.NotEmpty(t, d.configs)
		assert.Len(t, d.broken, broken)
	}
}
