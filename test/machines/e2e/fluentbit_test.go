//go:build e2e

package e2e

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

const secureEtcd = `[Unit]
Description=An etcd that has the configuration of Fluent Bit

[Service]
Type=notify
StateDirectory=logs
ExecStart=/usr/bin/etcd --name=logs --data-dir=/var/lib/logs --listen-client-urls=https://127.0.0.1:2379 --advertise-client-urls=https://127.0.0.1:2379 --listen-peer-urls=http://127.0.0.1:2380 --trusted-ca-file=/etc/loopback/ca.crt --cert-file=/etc/loopback/peer.crt --key-file=/etc/loopback/key --client-cert-auth

[Install]
WantedBy=multi-user.target
`

// TestFluentBit has somebody write the configuration of Fluent Bit into etcd: logs, and then
// programs. Fluent Bit itself is a program of this repository.
func TestFluentBit(t *testing.T) {
	t.Parallel()
	url, _ := archive(t, "fluent-bit.tgz", filepath.Dir(buildProgram(t, "fluentbit", "fluent-bit")), "fluent-bit")

	c := newLoopback(t)
	s := guest.State{
		Files: []guest.File{
			guest.Public("/etc/loopback/ca.crt", c.ca), guest.Private("/etc/loopback/key", "root", c.key),
			guest.Public("/etc/loopback/peer.crt", c.valid), guest.Unit("logs.service", secureEtcd),
		},
		Services: []guest.Service{{Name: "logs.service", Timeout: 120}},
	}
	m := newLone(t, "etcd-74", "10.77.0.74", s)
	on(t, m.name, "sh", "-c", `mkdir -p /opt/fluent-bit/bin && curl --silent --fail "$0" | tar -xz -C /opt/fluent-bit/bin`, url)
	forwarding, err := (&host.Fluentbit{
		Buffer: &host.Buffer{StorageType: to(host.Memory), MemBufLimit: to("10MB")},
		DynamicConfig: &host.DynamicConfig{KeyPrefix: "/logs/", Etcd: host.EtcdConnection{
			Endpoints: []string{"127.0.0.1:2379"}, CACert: c.ca, ClientCert: &c.valid, ClientKey: &c.key,
		}},
	}).State(m.name, m.ip, nil)
	require.NoError(t, err)
	forwarding.Packages, forwarding.Repositories = nil, nil
	s.Add(forwarding)
	m.ends(t, m.bring(t, s, guest.Apply()), "done", "")
	boxed(t, m.name, "3.0", "fluent-bit", "fluent-bit-check", "fluent-bit-config")

	says := func(unit string, all ...string) {
		wait(t, strings.Join(all, " and ")+" of "+unit, func() error {
			said := on(t, m.name, "journalctl", "--no-pager", "--output=cat", "--unit="+unit)
			for _, text := range all {
				if !strings.Contains(said, text) {
					return errors.New("it says " + said)
				}
			}
			return nil
		})
	}
	put := func(name, content string) {
		on(t, m.name, "env", "ETCDCTL_API=3", "etcdctl", "--endpoints=https://127.0.0.1:2379", "--cacert=/etc/loopback/ca.crt",
			"--cert=/etc/loopback/peer.crt", "--key=/etc/loopback/key", "put", "/logs/"+name, content)
	}
	says("fluent-bit", "a program: fork/exec /bin/true: permission denied", "a secret: open /etc/shadow: permission denied", "read-only file system")
	put("index.conf", "[INPUT]\n    Name cpu\n    Tag from-etcd\n")
	says("fluent-bit", "Tag from-etcd")
	for _, sin := range []struct{ written, refused string }{
		{"[INPUT]\n    Name exec\n    Command id\n", "plugin 'exec' is not taken as INPUT"},
		{"[INPUT]\n    Name tail\n    Path /etc/shadow\n", "path takes files below /var/log/ and /run/log/ only"},
		{"[SERVICE]\n    Plugins_File /tmp/x.conf\n", "plugins_file"},
		{"[INPUT]\n    Name cpu\n    BAD yes\n", "Fluent Bit does not take it"},
	} {
		put("index.conf", sin.written+"    Tag of-sin\n")
		says("fluent-bit-check", sin.refused)
	}
	put("index.conf", "[INPUT]\n    Name mem\n    Tag after-all\n")
	says("fluent-bit", "Tag after-all")
	assert.NotContains(t, on(t, m.name, "journalctl", "--no-pager", "--output=cat", "--unit=fluent-bit"), "of-sin")
}

func to[T any](v T) *T { return &v }
