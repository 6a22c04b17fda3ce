package etcdjoin

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// machine is a place with the files of a member, and with what systemd does:
// it runs etcd when the program before it has ended well.
type machine struct {
	config       config.Config
	ip, root     string
	peer, client string     // ports
	before       [][]string // commands that run before etcd
	conf         string     // that etcd is started with
	tls          *tls.Config
	etcd         *embed.Etcd
	started      chan error
}

var (
	before = regexp.MustCompile(`(?m)^ExecStartPre=(.+)$`)
	starts = regexp.MustCompile(`(?m)^ExecStart=.*--config-file (.+)$`)
)

// machines are those of a cluster's members.
func machines(t *testing.T, count int) []*machine {
	t.Helper()
	peer, client := strconv.Itoa(loopback.Port(t)), strconv.Itoa(loopback.Port(t))
	shared := config.Config{Etcd: (*config.Settings)(nil).WithDefaults(), TLS: certificates(t)}
	token, founds := "token", config.New
	shared.Cluster = config.Cluster{InitialToken: &token, InitialState: &founds}
	for n := range count {
		number := strconv.Itoa(n + 1)
		shared.Cluster.InitialMembers = append(shared.Cluster.InitialMembers, config.Member{Name: "etcd-" + number, IP: "127.0.0.1" + number})
	}
	var all []*machine
	for _, member := range shared.Cluster.InitialMembers {
		shared.Name, shared.IPs = member.Name, []string{member.IP}
		m := &machine{config: shared, ip: member.IP, root: t.TempDir(), peer: peer, client: client, tls: trust(t, shared.TLS)}
		m.install(t)
		all = append(all, m)
	}
	return all
}

// install writes what is on a machine, for places and ports that need no rights.
func (m *machine) install(t *testing.T) {
	t.Helper()
	program, err := engine.Etcd()
	require.NoError(t, err)
	m.before = nil
	here := strings.NewReplacer(",https://127.0.0.1:2379", "", ":2379", ":"+m.client, ":2380", ":"+m.peer,
		"/etc/etcd/", m.root+"/etc/etcd/", "/var/lib/etcd/", m.root+"/var/lib/etcd/", "/run/etcd/", m.root+"/run/etcd/",
		"/usr/local/lib/quorum/", m.root+"/usr/local/lib/quorum/", "/usr/bin/etcd", program)
	s, err := m.config.State()
	require.NoError(t, err)
	for _, d := range s.Directories {
		require.NoError(t, os.MkdirAll(m.root+d.Path, 0o700))
	}
	require.NoError(t, os.MkdirAll(m.root+"/run/etcd", 0o700))
	for _, f := range s.Files {
		mode, err := strconv.ParseUint(f.Mode, 8, 32)
		require.NoError(t, err)
		content := here.Replace(f.Content)
		switch {
		case strings.HasSuffix(f.Path, "/conf.yml"):
			content += "log-level: error\nlog-outputs: [/dev/null]\nbackend-batch-interval: 3600000000000\n"
		case strings.HasSuffix(f.Path, "/etcd.service"):
			found := starts.FindStringSubmatch(content)
			require.NotNil(t, found)
			m.conf = found[1]
		}
		for _, command := range before.FindAllStringSubmatch(content, -1) {
			if !strings.HasPrefix(command[1], "+") { // as root, which gives data to a user that is not here
				m.before = append(m.before, strings.Fields(command[1]))
			}
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(m.root+f.Path), 0o700))
		require.NoError(t, os.WriteFile(m.root+f.Path, []byte(content), os.FileMode(mode)))
	}
}

func (m *machine) data() string { return m.root + "/var/lib/etcd/data" }

// loseData is what a new disk does.
func (m *machine) loseData(t *testing.T) {
	t.Helper()
	require.NoError(t, os.RemoveAll(m.data()))
	require.NoError(t, os.Mkdir(m.data(), 0o700))
}

// waits waits until the member does, for this reason, as its page tells.
func (m *machine) waits(t *testing.T, reason string) {
	t.Helper()
	client := http.Client{Timeout: 3 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: m.tls.RootCAs, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	var page struct{ State, PeerURL, Reason string }
	ask := func() error {
		answer, err := client.Get("https://" + net.JoinHostPort(m.ip, m.client) + "/quorum/join")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		return errors.Join(json.NewDecoder(answer.Body).Decode(&page), answer.Body.Close())
	}
	require.Eventually(t, func() bool { return ask() == nil && strings.Contains(page.Reason, reason) }, 30*time.Second, 100*time.Millisecond, reason)
	require.Equal(t, "blank", page.State)
	require.Equal(t, "https://"+net.JoinHostPort(m.ip, m.peer), page.PeerURL)
	require.NoFileExists(t, m.conf)
}

func (m *machine) connect(t *testing.T) *clientv3.Client {
	t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{net.JoinHostPort(m.ip, m.client)}, TLS: m.tls, DialTimeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}
