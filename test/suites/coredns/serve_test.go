package coredns

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
)

func zone(serial int, address string) string {
	return fmt.Sprintf("$TTL 60\n@ IN SOA ns1 hostmaster %d 7200 3600 1209600 60\nwww IN A %s\n", serial, address)
}

func secondly() *coredns.DNS {
	d, second := (*coredns.DNS)(nil).WithDefaults(), "1s"
	d.ZonefilesReloadInterval = &second
	return &d
}

func TestServedAsEtcdHasIt(t *testing.T) {
	t.Parallel()
	m := withFakeEtcd(t, server(secondly(), "127.0.0.1"))
	m.put(t, map[string]string{"a.example": zone(1, "192.0.2.1"), "b.example": zone(1, "192.0.2.1")})
	m.answers(t, "www.a.example", "192.0.2.1")
	m.answers(t, "www.b.example", "192.0.2.1")
	m.put(t, map[string]string{"a.example": zone(2, "192.0.2.2"), "c.example": zone(1, "192.0.2.3")})
	m.answers(t, "www.a.example", "192.0.2.2")
	m.answers(t, "www.c.example", "192.0.2.3")
	m.answers(t, "www.b.example", "none")
}

func TestServedWhateverHappensToEtcd(t *testing.T) {
	t.Parallel()
	good := map[string]string{"a.example": zone(1, "192.0.2.1"), "b.example": zone(1, "192.0.2.1")}
	for name, c := range map[string]struct {
		happen func(t *testing.T, m *machine)
		logged string
	}{
		"away": {func(t *testing.T, m *machine) {
			require.NoError(t, os.Remove(filepath.Join(m.dir, "keys.json")))
		}, "the last files stay as they are"},
		"emptied": {func(t *testing.T, m *machine) { m.put(t, nil) }, "WARNING: there is nothing below /zones/ any more"},
		"no names": {func(t *testing.T, m *machine) {
			m.put(t, map[string]string{"../a.example": zone(2, "192.0.2.2")})
		}, "refused '../a.example'"},
		"bad zones": {func(t *testing.T, m *machine) {
			m.put(t, map[string]string{"a.example": zone(2, "not an address"), "b.example": "", "c.example": zone(0, "192.0.2.2")})
		}, "bad A A"},
		"same serial": {func(t *testing.T, m *machine) {
			m.put(t, map[string]string{"a.example": zone(1, "192.0.2.2"), "b.example": zone(1, "192.0.2.2")})
		}, "its serial 1 has not"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := withFakeEtcd(t, server(secondly(), "127.0.0.1"))
			m.put(t, good)
			m.answers(t, "www.a.example", "192.0.2.1")
			m.answers(t, "www.b.example", "192.0.2.1")
			c.happen(t, m)
			m.keep(t, "192.0.2.1", "www.a.example", "www.b.example")
			require.Contains(t, m.agent.said(), c.logged)
			m.coredns.stop()
			m.serve(t) // it has only the files now
			m.answers(t, "www.a.example", "192.0.2.1")
			m.answers(t, "www.b.example", "192.0.2.1")
			m.put(t, map[string]string{"a.example": zone(3, "192.0.2.3"), "b.example": good["b.example"]})
			m.answers(t, "www.a.example", "192.0.2.3")
		})
	}
}

// TestAddresses wants DNS on all addresses, metrics and health on the first alone.
func TestAddresses(t *testing.T) {
	t.Parallel()
	m := withFakeEtcd(t, server(secondly(), "127.0.0.1", "127.0.0.2"))
	m.put(t, map[string]string{"a.example": zone(1, "192.0.2.1")})
	m.answers(t, "www.a.example", "192.0.2.1")
	require.Equal(t, "192.0.2.1", ask("127.0.0.2:"+m.dnsPort, "www.a.example"))
	require.Equal(t, "none", ask("127.0.0.3:"+m.dnsPort, "www.a.example"))
	for _, path := range []string{m.health + "/health", m.metricsPort + "/metrics"} {
		answer, err := http.Get("http://127.0.0.1:" + path)
		require.NoError(t, err)
		answer.Body.Close()
		require.Equal(t, http.StatusOK, answer.StatusCode)
		_, err = http.Get("http://127.0.0.2:" + path) //nolint:bodyclose // there is none
		require.Error(t, err)
	}
}

// TestForwards wants the longest domain asked about where it is to be, and the
// server's own zones asked of nobody.
func TestForwards(t *testing.T) {
	t.Parallel()
	upstream := func(address string) string { // it answers all with the same address
		text, port, all := filepath.Join(t.TempDir(), "zone"), freePort(t), zone(1, address)
		for _, name := range []string{"www.own.lab.example.net", "other.own.lab.example.net", "x.lab.example.net", "x.example.net", "x.example.org"} {
			all += name + " IN A " + address + "\n"
		}
		require.NoError(t, os.WriteFile(text, []byte(all), 0o600))
		cmd := exec.Command(corednsPath(t), "-conf", "stdin")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(".:%s {\n bind 127.0.0.1\n file %s .\n}\n", port, text))
		start(t, cmd)
		return "127.0.0.1:" + port
	}
	dns := secondly()
	dns.AlternateDNSServers = []string{upstream("192.0.2.10")}
	dns.Forwards = []coredns.Forward{
		{DomainName: "example.net", DNSServers: []string{upstream("192.0.2.11")}},
		{DomainName: "Lab.Example.net.", DNSServers: []string{upstream("192.0.2.12")}},
	}
	m := withFakeEtcd(t, server(dns, "127.0.0.1"))
	m.put(t, map[string]string{"own.lab.example.net": zone(1, "192.0.2.1")})
	m.answers(t, "www.own.lab.example.net", "192.0.2.1")
	m.answers(t, "other.own.lab.example.net", "none")
	m.answers(t, "x.lab.example.net", "192.0.2.12")
	m.answers(t, "x.example.net", "192.0.2.11")
	m.answers(t, "x.example.org", "192.0.2.10")
}
