package coredns

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// zoneAndGate is a program with a zone, and a gate that opens when it is served.
func zoneAndGate(t *testing.T, etcd embedetcd.Etcd, server, records string) string {
	t.Helper()
	ca, err := yaml.Marshal(embedetcd.PKI(t, "ca.crt"))
	require.NoError(t, err)
	return fmt.Sprintf(`
resources:
  example:
    type: quorum:DnsZone
    properties:
      etcd:
        endpoints: ["%s"]
        caCert: %s
        username: root
        password: {fn::secret: %s}
      domain: example.org
      nameservers: [ns1]
      records: %s
  served:
    type: quorum:DnsHealth
    properties: {servers: ["%s"], domain: example.org, serial: "${example.serial}", names: [www]}
    options: {customTimeouts: {create: 30s, update: 30s}}
outputs: {zone: "${example.zone}"}
`, etcd.Endpoint, strings.TrimSpace(strings.ReplaceAll(string(ca), "\n", "\n          ")), embedetcd.RootPassword, records, server)
}

// TestResources has a zone made, changed, found changed, imported and deleted
// by the real engine, in a real etcd, and served by CoreDNS itself.
func TestResources(t *testing.T) {
	t.Parallel()
	etcd := embedetcd.Start(t, false)
	root := etcd.Root(t)
	c := server(secondly(), "127.0.0.1")
	c.Etcd = etcd.Connection(t)
	m := newMachine(t, c)
	m.follow(t, c)
	server := "127.0.0.1:" + m.dnsPort
	program := func(address string) string {
		return zoneAndGate(t, etcd, server, "{a: [{name: ns1, addresses: [192.0.2.53]}, {name: www, addresses: ["+address+"]}]}")
	}
	www := func(wanted string) {
		t.Helper()
		require.Equal(t, wanted, ask(server, "www.example.org"), "at once: the gate has waited for it")
	}
	s := engine.New(t, engine.Options{Plugins: []engine.Plugin{engine.Quorum}, Program: program("192.0.2.1")})
	said := ""
	note := func(r engine.Result) engine.Result { said += r.Stdout + r.Stderr; return r }

	note(s.Preview("--diff"))
	require.Contains(t, note(s.Up()).Diagnostics, "  dig @127.0.0.1 -p "+m.dnsPort+" example.org SOA")
	www("192.0.2.1")
	require.True(t, note(s.Preview()).Unchanged())
	require.Zero(t, note(s.Refresh()).Changes["update"])

	s.Program(program("192.0.2.2"))
	preview := note(s.Preview("--diff"))
	require.Equal(t, "update DnsHealth, update DnsZone", preview.Changed())
	require.Regexp(t, `(?s)records.*"192.0.2.1" => "192.0.2.2"`, preview.Stdout)
	require.NotContains(t, note(s.Up()).Diagnostics, "dig @", "it was said before")
	www("192.0.2.2")

	// Others change it: that is found, shown and set right.
	_, err := root.Put(t.Context(), "/zones/example.org", strings.Replace(s.Output("zone"), "192.0.2.2", "192.0.2.9", 1))
	require.NoError(t, err)
	require.Equal(t, 1, note(s.Refresh()).Changes["update"])
	require.Equal(t, "update DnsHealth, update DnsZone", note(s.Up()).Changed())
	www("192.0.2.2")

	_, err = root.Delete(t.Context(), "/zones/example.org")
	require.NoError(t, err)
	note(s.Refresh())
	require.Equal(t, "create DnsZone, update DnsHealth", note(s.Up()).Changed())
	www("192.0.2.2")

	// Another stack refuses what is there, and imports it.
	other := engine.New(t, engine.Options{Plugins: []engine.Plugin{engine.Quorum}, Program: program("192.0.2.9")})
	require.Contains(t, note(other.UpFails()).Diagnostics, "/zones/example.org already exists in etcd: a zone with serial")
	other.Program(program("192.0.2.2"))
	ca := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(ca, []byte(embedetcd.PKI(t, "ca.crt")), 0o600))
	other.Setenv("ETCDCTL_ENDPOINTS", etcd.Endpoint)
	other.Setenv("ETCDCTL_CACERT", ca)
	other.Setenv("ETCDCTL_USER", "root:"+embedetcd.RootPassword)
	stdout, stderr, err := other.Run("import", "quorum:index:DnsZone", "example", "/zones/example.org", "--yes", "--skip-preview", "--protect=false")
	require.NoError(t, err, stdout+stderr)
	said += stdout + stderr + other.Export()
	require.Equal(t, "create DnsHealth, update DnsZone", note(other.Up()).Changed())
	require.Equal(t, s.Output("zone"), other.Output("zone"), "the zone is left as it is")
	require.True(t, note(other.Preview()).Unchanged())

	for _, text := range []string{said, s.Export(), other.Export()} {
		require.NotContains(t, text, embedetcd.RootPassword)
	}
	note(s.Destroy())
	found, err := root.Get(t.Context(), "/zones/example.org")
	require.NoError(t, err)
	require.Empty(t, found.Kvs)
	note(other.Destroy()) // which finds nothing to delete
}
