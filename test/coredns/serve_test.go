package coredns

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

// machine is a place where the server and its agent run, with an etcd that is a file.
type machine struct {
	dir, corefile                string
	dnsPort, metricsPort, health string
	revision                     int
	stop                         func() // of CoreDNS
}

func newMachine(t *testing.T, c coredns.Config) *machine {
	t.Helper()
	m := &machine{dir: t.TempDir(), dnsPort: freePort(t), metricsPort: freePort(t), health: freePort(t)}
	require.NoError(t, os.Mkdir(m.zones(), 0o755))
	// As on a machine, but for places and ports that need no rights.
	m.corefile = filepath.Join(m.dir, "Corefile")
	text := strings.NewReplacer(". {", ".:"+m.dnsPort+" {", zones, m.zones(), ":9153", ":"+m.metricsPort, ":8080", ":"+m.health).
		Replace(fileOf(t, c, "/etc/coredns/Corefile"))
	require.NoError(t, os.WriteFile(m.corefile, []byte(text), 0o600))
	m.serve(t)

	var mirror map[string]any
	require.NoError(t, json.Unmarshal([]byte(fileOf(t, c, "/etc/coredns-updater/mirror.json")), &mirror))
	mirror["directory"], mirror["reconcileSeconds"], mirror["passwordFile"] = m.zones(), 0.2, os.DevNull
	mirror["validate"].([]any)[0] = filepath.Join(engine.Root(), home, "check-zone")
	config, err := json.Marshal(mirror)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "mirror.json"), config, 0o600))
	programs := filepath.Join(engine.Root(), "provider", "roles", "host", "mirror")
	agent := exec.Command(filepath.Join(programs, "quorum-mirror"), filepath.Join(m.dir, "mirror.json"))
	agent.Env = append(os.Environ(), "PATH="+filepath.Join(programs, "fakes")+":"+os.Getenv("PATH"), "FAKE="+m.dir, "COREDNS="+corednsPath(t))
	start(t, agent)
	return m
}

func (m *machine) serve(t *testing.T) {
	t.Helper()
	m.stop = start(t, exec.Command(corednsPath(t), "-conf", m.corefile))
}

func (m *machine) zones() string { return filepath.Join(m.dir, "zones") }

// put sets all that etcd has.
func (m *machine) put(t *testing.T, zones map[string]string) {
	t.Helper()
	m.revision++
	keys := map[string]string{}
	for name, text := range zones {
		keys["/zones/"+name] = text
	}
	text, err := json.Marshal(map[string]any{"revision": m.revision, "keys": keys})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "new"), text, 0o600))
	require.NoError(t, os.Rename(filepath.Join(m.dir, "new"), filepath.Join(m.dir, "keys.json")))
}

// ask gives the address of a name, or the kind of failure.
func ask(address, name string) string {
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	found, err := resolver.LookupHost(ctx, name+".")
	if err != nil {
		return "none"
	}
	return strings.Join(found, " ")
}

func (m *machine) answers(t *testing.T, name, wanted string) {
	t.Helper()
	eventually(t, func() bool { return ask("127.0.0.1:"+m.dnsPort, name) == wanted }, name+" is "+wanted)
}

// keeps wants the same answer for longer than CoreDNS and the agent take to see a change.
func (m *machine) keeps(t *testing.T, name, wanted string) {
	t.Helper()
	for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		require.Equal(t, wanted, ask("127.0.0.1:"+m.dnsPort, name), name)
	}
}

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
	m := newMachine(t, server(secondly(), "127.0.0.1"))
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
	for name, happen := range map[string]func(t *testing.T, m *machine){
		"away":     func(t *testing.T, m *machine) { require.NoError(t, os.Remove(filepath.Join(m.dir, "keys.json"))) },
		"emptied":  func(t *testing.T, m *machine) { m.put(t, nil) },
		"no names": func(t *testing.T, m *machine) { m.put(t, map[string]string{"../a.example": zone(2, "192.0.2.2")}) },
		"bad zones": func(t *testing.T, m *machine) {
			m.put(t, map[string]string{"a.example": zone(2, "not an address"), "b.example": "", "c.example": zone(0, "192.0.2.2")})
		},
		"same serial": func(t *testing.T, m *machine) {
			m.put(t, map[string]string{"a.example": zone(1, "192.0.2.2"), "b.example": zone(1, "192.0.2.2")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t, server(secondly(), "127.0.0.1"))
			m.put(t, good)
			m.answers(t, "www.a.example", "192.0.2.1")
			m.answers(t, "www.b.example", "192.0.2.1")
			happen(t, m)
			m.keeps(t, "www.a.example", "192.0.2.1")
			m.keeps(t, "www.b.example", "192.0.2.1")
			m.stop()
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
	m := newMachine(t, server(secondly(), "127.0.0.1", "127.0.0.2"))
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
	m := newMachine(t, server(dns, "127.0.0.1"))
	m.put(t, map[string]string{"own.lab.example.net": zone(1, "192.0.2.1")})
	m.answers(t, "www.own.lab.example.net", "192.0.2.1")
	m.answers(t, "other.own.lab.example.net", "none")
	m.answers(t, "x.lab.example.net", "192.0.2.12")
	m.answers(t, "x.example.net", "192.0.2.11")
	m.answers(t, "x.example.org", "192.0.2.10")
}
