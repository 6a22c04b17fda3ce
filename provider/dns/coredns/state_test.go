package coredns_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

const secret = `pa$$"w'ord`

func server(change ...func(*coredns.Config)) coredns.Config {
	user, password := "dns", secret
	c := coredns.Config{
		Name: "dns-1", IPs: []string{"10.77.0.31", "2001:db8::31"}, KeyPrefix: "/zones", DNS: (*coredns.DNS)(nil).WithDefaults(),
		Etcd: host.EtcdConnection{Endpoints: []string{"10.77.0.11:2379"}, CACert: "ca", Username: &user, Password: &password},
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func stateOf(t *testing.T, c coredns.Config) guest.State {
	t.Helper()
	s, err := c.State()
	require.NoError(t, err)
	return s
}

func contentOf(t *testing.T, s guest.State, path string) string {
	t.Helper()
	i := slices.IndexFunc(s.Files, func(f guest.File) bool { return f.Path == path })
	require.GreaterOrEqual(t, i, 0, path)
	return s.Files[i].Content
}

// TestRestart requires only the service restarted that a change is for.
func TestRestart(t *testing.T) {
	t.Parallel()
	// fed gives, for each service, all that a restart of it brings into force.
	fed := func(c coredns.Config) map[string]string {
		s, all := stateOf(t, c), map[string]string{}
		for _, service := range s.Services {
			all[service.Name] = service.RestartKey
			for _, path := range service.RestartOn {
				all[service.Name] += contentOf(t, s, path)
			}
		}
		return all
	}
	before := fed(server())
	changed := func(change func(*coredns.Config)) (names []string) {
		for name, now := range fed(server(change)) {
			if now != before[name] {
				names = append(names, name)
			}
		}
		return names
	}
	other, version, interval := "other", "1.12.4", "9s"
	require.Empty(t, changed(func(c *coredns.Config) { c.KeyPrefix += "/" }))
	require.Equal(t, []string{"coredns.service"}, changed(func(c *coredns.Config) { c.DNS.Version = &version }))
	require.Equal(t, []string{"coredns.service"}, changed(func(c *coredns.Config) { c.DNS.ZonefilesReloadInterval = &interval }))
	require.Equal(t, []string{"coredns.service"}, changed(func(c *coredns.Config) { c.Artifact = &host.Artifact{SHA256: "x"} }))
	require.Equal(t, []string{"coredns-updater.service"}, changed(func(c *coredns.Config) { c.Etcd.Password = &other }))
	require.Equal(t, []string{"coredns-updater.service"}, changed(func(c *coredns.Config) { c.KeyPrefix = "/other/" }))
}

// TestPassword requires the password in one file, which the server itself cannot read.
func TestPassword(t *testing.T) {
	t.Parallel()
	var holders []guest.File
	for _, f := range stateOf(t, server()).Files {
		if strings.Contains(f.Content, secret) {
			holders = append(holders, f)
		}
	}
	require.Equal(t, []guest.File{guest.Private("/etc/coredns-updater/etcd-password", "coredns-updater", secret)}, holders)
}

// TestOrigins requires names that are origins as CoreDNS looks them up, and that
// lead nowhere else.
func TestOrigins(t *testing.T) {
	t.Parallel()
	var mirror struct{ Prefix, Pattern string }
	require.NoError(t, json.Unmarshal([]byte(contentOf(t, stateOf(t, server()), "/etc/coredns-updater/mirror.json")), &mirror))
	require.Equal(t, "/zones/", mirror.Prefix)
	origin := regexp.MustCompile(`\A(?:` + mirror.Pattern + `)\z`)
	for _, name := range []string{"org", "example.org", "77.10.in-addr.arpa", "_tcp.example.org", "xn--bcher-kva.example"} {
		require.True(t, origin.MatchString(name), name)
	}
	for _, name := range []string{"", ".", "..", "../x", "a/b", "Example.org", "example.org.", ".hidden", "-a", "a..b", "a b", "a\n", strings.Repeat("a", 64)} {
		require.False(t, origin.MatchString(name), name)
	}
}

// TestAddresses requires DNS on all addresses, and all else on the first.
func TestAddresses(t *testing.T) {
	t.Parallel()
	s := stateOf(t, server(func(c *coredns.Config) { slices.Reverse(c.IPs) }))
	corefile := contentOf(t, s, "/etc/coredns/Corefile")
	require.Contains(t, corefile, "\n    bind 2001:db8::31 10.77.0.31\n")
	require.Contains(t, corefile, "\n    prometheus [2001:db8::31]:9153\n    health [2001:db8::31]:8080\n")
	require.Equal(t, 1, strings.Count(corefile, "10.77.0.31"))
	require.Equal(t, "http://[2001:db8::31]:8080/health", s.Services[0].Check.URL)
}

// TestRights requires CoreDNS to have one capability, and the agent none.
func TestRights(t *testing.T) {
	t.Parallel()
	s := stateOf(t, server())
	unit := contentOf(t, s, "/etc/systemd/system/coredns.service")
	require.Contains(t, unit, "\nUser=coredns\n")
	box := contentOf(t, s, "/etc/systemd/system/coredns.service.d/quorum-box.conf")
	require.Contains(t, box, "\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n")
	require.Contains(t, box, "\nNoNewPrivileges=yes\n")
	require.NotContains(t, box, "ReadWritePaths")
	agent := contentOf(t, s, "/etc/systemd/system/coredns-updater.service")
	require.Contains(t, agent, "\nUser=coredns-updater\n")
	box = contentOf(t, s, "/etc/systemd/system/coredns-updater.service.d/quorum-box.conf")
	require.Contains(t, box, "\nCapabilityBoundingSet=\nAmbientCapabilities=\n")
	require.Contains(t, box, "\nNoNewPrivileges=yes\n")
	require.Contains(t, box, "\nReadWritePaths=/var/lib/coredns/zones\n")
}
