package coredns

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// mistake is a second server: its plugin is read after all of the first one's.
const mistake = "\nmistake.invalid {\n    forward\n}\n"

// readBy gives what CoreDNS has to say against a configuration.
func readBy(t *testing.T, corefile string) string {
	t.Helper()
	cmd := exec.Command(corednsPath(t), "-conf", "stdin")
	cmd.Stdin = strings.NewReader(strings.ReplaceAll(corefile, zones, t.TempDir()) + mistake)
	said, err := cmd.CombinedOutput()
	require.Error(t, err)
	return string(said)
}

// judge has a machine's own check judge a configuration.
func judge(t *testing.T, corefile string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Corefile")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(corefile, zones, t.TempDir())), 0o600))
	cmd := exec.Command(filepath.Join(engine.Root(), "provider", "dns", "coredns", "check-corefile"), path)
	cmd.Env = append(os.Environ(), "COREDNS="+corednsPath(t))
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// TestCorefile has CoreDNS itself read the configuration.
func TestCorefile(t *testing.T) {
	t.Parallel()
	with := func(change func(*coredns.DNS)) *coredns.DNS {
		d := (*coredns.DNS)(nil).WithDefaults()
		change(&d)
		return &d
	}
	no, ttl, often, minute := false, 300, "1m30s", "1m"
	for name, c := range map[string]coredns.Config{
		"minimal": server(nil, "192.0.2.1"),
		"IPv6":    server(nil, "2001:db8::1", "192.0.2.1"),
		"everything": server(with(func(d *coredns.DNS) {
			d.LoadBalanceRecords, d.ZonefilesReloadInterval = &no, &often
			d.AlternateDNSServers = []string{"192.0.2.53", "192.0.2.54:5353", "2001:db8::53", "[2001:db8::54]:53"}
			d.Forwards = []coredns.Forward{{DomainName: "a.example", DNSServers: []string{"192.0.2.53"}}, {DomainName: "B.a.Example.", DNSServers: []string{"192.0.2.53"}}}
			d.Cache = &coredns.Cache{Domains: []string{"a.example", "b.example"}, MaxTTL: &ttl, Prefetch: &coredns.Prefetch{Amount: 2, Duration: &minute}}
		}), "192.0.2.1"),
		"cache of all": server(with(func(d *coredns.DNS) { d.Cache = &coredns.Cache{MaxTTL: &ttl} }), "192.0.2.1"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			corefile := fileOf(t, c, "/etc/coredns/Corefile")
			said := readBy(t, corefile)
			require.Contains(t, said, "plugin/forward: ", said)
			require.Contains(t, said, "Wrong argument count", said)
			judged, err := judge(t, corefile)
			require.NoError(t, err, judged)
			require.Empty(t, judged)
			for _, mistake := range []struct{ old, wrong, reason string }{
				{"reload ", "relaod ", "unknown property 'relaod'"},
				{"nsid", "nsdi", "Unknown directive 'nsdi'"},
				{"\n}\n", "\n", "checked.invalid"},
				{"\n}\n", "\n    forward c.example\n}\n", "Wrong argument count or unexpected line ending after 'c.example'"},
			} {
				judged, err := judge(t, strings.Replace(corefile, mistake.old, mistake.wrong, 1))
				require.Error(t, err, mistake.wrong)
				require.Contains(t, judged, mistake.reason)
			}
			wrong := readBy(t, strings.Replace(corefile, "reload ", "relaod ", 1))
			require.Contains(t, wrong, "unknown property 'relaod'", "it reads all that it is given")
		})
	}
}
