package coredns

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// machine is a place where the server and its agent run.
type machine struct {
	dir, corefile                string
	dnsPort, metricsPort, health string
	revision                     int
	coredns, agent               process
}

// newMachine has the server run, and not yet the agent.
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
	return m
}

// withFakeEtcd is a machine whose agent takes a file for etcd: see put.
func withFakeEtcd(t *testing.T, c coredns.Config) *machine {
	t.Helper()
	m := newMachine(t, c)
	m.follow(t, c, "PATH="+filepath.Join(mirrorHome(), "fakes")+":"+os.Getenv("PATH"), "FAKE="+m.dir)
	return m
}

// follow starts the agent as the server wants it, but for its places.
func (m *machine) follow(t *testing.T, c coredns.Config, environment ...string) {
	t.Helper()
	var mirror map[string]any
	require.NoError(t, json.Unmarshal([]byte(fileOf(t, c, "/etc/coredns-updater/mirror.json")), &mirror))
	mirror["directory"], mirror["reconcileSeconds"] = m.zones(), 0.2
	for _, key := range []string{"caFile", "certFile", "keyFile", "passwordFile"} {
		if path, has := mirror[key].(string); has {
			mirror[key] = filepath.Join(m.dir, filepath.Base(path))
			require.NoError(t, os.WriteFile(mirror[key].(string), []byte(fileOf(t, c, path)), 0o600))
		}
	}
	mirror["validate"].([]any)[0] = filepath.Join(engine.Root(), home, "check-zone")
	config, err := json.Marshal(mirror)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "mirror.json"), config, 0o600))
	agent := exec.Command(filepath.Join(mirrorHome(), "quorum-mirror"), filepath.Join(m.dir, "mirror.json"))
	agent.Env = append(append(os.Environ(), "COREDNS="+corednsPath(t)), environment...)
	m.agent = start(t, agent)
}

func mirrorHome() string { return filepath.Join(engine.Root(), "provider", "guest", "host", "mirror") }

func (m *machine) serve(t *testing.T) {
	t.Helper()
	m.coredns = start(t, exec.Command(corednsPath(t), "-conf", m.corefile))
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

// keep wants the same answer for longer than CoreDNS and the agent take to see a change.
func (m *machine) keep(t *testing.T, wanted string, names ...string) {
	t.Helper()
	for end := time.Now().Add(2500 * time.Millisecond); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		for _, name := range names {
			require.Equal(t, wanted, ask("127.0.0.1:"+m.dnsPort, name), name)
		}
	}
}
