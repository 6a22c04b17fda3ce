package coredns

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/dns/coredns"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

const (
	zones = "/var/lib/coredns/zones"
	home  = "provider/dns/coredns/zone/" // of the zone checker
)

// program is CoreDNS. Tests do not build it themselves.
var program = sync.OnceValues(func() (string, error) {
	out, err := exec.Command(filepath.Join(engine.Root(), "tools", "build"), "--no-build", "coredns").Output()
	return filepath.Join(strings.TrimSpace(string(out)), "coredns"), err
})

func corednsPath(t *testing.T) string {
	t.Helper()
	path, err := program()
	require.NoError(t, err, "run tools/build coredns")
	return path
}

// server is a Config on these addresses.
func server(dns *coredns.DNS, ips ...string) coredns.Config {
	user, password := "dns", "password"
	return coredns.Config{
		Name: "dns-1", IPs: ips, KeyPrefix: "/zones/", DNS: dns.WithDefaults(),
		Etcd: host.EtcdConnection{Endpoints: []string{"10.77.0.11:2379"}, Username: &user, Password: &password},
	}
}

// fileOf is a file that the server wants of its machine.
func fileOf(t *testing.T, c coredns.Config, path string) string {
	t.Helper()
	s, err := c.State()
	require.NoError(t, err)
	return file(t, s, path)
}

func file(t *testing.T, s guest.State, path string) string {
	t.Helper()
	for _, f := range s.Files {
		if f.Path == path {
			return f.Content
		}
	}
	require.Failf(t, "no such file", path)
	return ""
}

// process is a program that runs until it is stopped or the test ends.
type process struct {
	stop func()
	said func() string
}

// start runs a program, and shows what it said if the test fails.
func start(t *testing.T, cmd *exec.Cmd) process {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	p := process{
		stop: sync.OnceFunc(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}),
		said: func() string {
			text, err := os.ReadFile(log.Name())
			require.NoError(t, err)
			return string(text)
		},
	}
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("%s said:\n%s", filepath.Base(cmd.Path), p.said())
		}
	})
	return p
}

func freePort(t *testing.T) string { t.Helper(); return strconv.Itoa(loopback.Port(t)) }

func eventually(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, 10*time.Second, 50*time.Millisecond, what)
}
