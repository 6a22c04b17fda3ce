package provider

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	states "github.com/pulumi-quorum/pulumi-quorum/test/harness/golden"
)

// withoutNames runs nft in a network namespace of its own, as on a small system that has no file of protocols' names.
const withoutNames = "mount --bind /dev/null /etc/protocols && exec nft --file -"

// TestFirewall has nft read each firewall of the golden files.
func TestFirewall(t *testing.T) {
	t.Parallel()
	if *update {
		t.Skip("the states are being written")
	}
	rules := map[string]string{}
	for _, c := range components {
		for name, files := range states.Files(t, c.folder) {
			rules[c.folder+"/"+name] = files["/etc/quorum-firewall.nft"]
		}
	}
	assert.Empty(t, rules["postgres-load-balancer/everything"], "it is off")
	delete(rules, "postgres-load-balancer/everything")
	for name, text := range rules {
		require.Contains(t, text, "policy drop", name)
		nft := exec.CommandContext(t.Context(), "unshare", "--net", "--mount", "sh", "-c", withoutNames)
		nft.Stdin = strings.NewReader(text + text) // as a change does, where the table is there already
		out, err := nft.CombinedOutput()
		assert.NoError(t, err, "%s: %s", name, out)
	}
	lines := rules["etcd-server/everything"]
	for _, line := range []string{
		"ip saddr 10.77.0.0/24 tcp dport 22 accept", "ip saddr 10.77.0.0/24 tcp dport 2379 accept", "ip6 saddr 2001:db8::/64 tcp dport 2379 accept",
		"ip saddr 10.77.0.0/24 tcp dport 2380 accept", "tcp dport 9256 accept", "ip saddr 10.77.0.0/24 udp dport 161 accept",
	} {
		assert.Contains(t, lines, "\t"+line+"\n")
	}
	assert.NotContains(t, lines, "dport 9100", "nobody")
}
