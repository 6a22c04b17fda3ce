package health_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/golden"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// real is a node whose programs run.
type real struct {
	*node
	t         *testing.T
	programs  string // of PostgreSQL
	directory string
	database  int // PostgreSQL's port
	once      sync.Once
	command   *exec.Cmd
	log       bytes.Buffer
}

// newReal gives a node what a machine has in /etc/patroni, in a directory.
func newReal(t *testing.T, n *node, programs, etcd string, database int) *real {
	t.Helper()
	directory, err := os.MkdirTemp("", "node") // below one of t's, only its own user may go
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(directory) })
	r := &real{node: n, t: t, programs: programs, directory: directory, database: database}
	serverCert, serverKey := texts(t, n.cert)
	clientCert, clientKey := texts(t, n.world.ca.issue(t, ""))
	file := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(r.directory, name), []byte(text), 0o600))
	}
	for name, text := range map[string]string{
		"ca.crt": n.world.ca.pem, "etcd-ca.crt": n.world.ca.pem, "server.crt": serverCert, "server.key": serverKey, "client.crt": clientCert, "client.key": clientKey,
	} {
		file(name, text)
	}
	conf := golden.Files(t, "postgres-server")["minimal-tls"]["/etc/patroni/conf.yml"]
	for _, change := range [][2]string{
		{"10.77.0.11", n.ip},
		{"name: postgres-1", "name: " + n.name},
		{":5432", fmt.Sprint(":", database)},
		{":4443", fmt.Sprint(":", n.world.port)},
		{",127.0.0.1:", ":"}, // all nodes are on one machine
		{"parameters:\n        ssl:", "parameters:\n        fsync: \"off\"\n        unix_socket_directories: " + r.directory + "\n        ssl:"},
		{"/etc/patroni/tls", r.directory},
		{"/var/lib/postgresql", r.directory},
		{"        - 10.77.0.21:2379\n        - 10.77.0.22:2379\n", "        - " + etcd + "\n"},
		{"    username: \"patroni\"\n    password: \"etcd password\"\n", ""},
		{"ttl: 30", "ttl: 20"},
		{"loop_wait: 10", "loop_wait: 2"},
		{"retry_timeout: 10", "retry_timeout: 9"},
		{"mode: required", "mode: \"off\""},                     // of the watchdog
		{"local all postgres peer", "local all postgres trust"}, // for any user
	} {
		require.Contains(t, conf, change[0])
		conf = strings.ReplaceAll(conf, change[0], change[1])
	}
	file("conf.yml", conf)
	return r
}

func (r *real) start() {
	r.command = exec.Command("patroni", filepath.Join(r.directory, "conf.yml"))
	r.command.Stdout, r.command.Stderr = &r.log, &r.log
	r.command.Dir, r.command.Env = r.directory, append(os.Environ(), "HOME="+r.directory, "PATRONI_POSTGRESQL_BIN_DIR="+r.programs)
	r.command.WaitDelay = 5 * time.Second // PostgreSQL has the log open too
	r.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
		r.command.SysProcAttr.Credential = r.nobody()
	}
	require.NoError(r.t, r.command.Start())
	r.once.Do(func() {
		r.t.Cleanup(func() {
			r.kill()
			if r.t.Failed() {
				r.t.Logf("%s:\n%s", r.name, r.log.String())
			}
		})
	})
}

// nobody is given all that the node has.
func (r *real) nobody() *syscall.Credential {
	nobody, err := user.Lookup("nobody")
	require.NoError(r.t, err)
	uid, err := strconv.Atoi(nobody.Uid)
	require.NoError(r.t, err)
	gid, err := strconv.Atoi(nobody.Gid)
	require.NoError(r.t, err)
	require.NoError(r.t, filepath.Walk(r.directory, func(path string, _ os.FileInfo, err error) error {
		if err == nil {
			err = os.Lchown(path, uid, gid)
		}
		return err
	}))
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// kill ends Patroni and, which has a session of its own, PostgreSQL, as if the
// power were off.
func (r *real) kill() {
	_ = syscall.Kill(-r.command.Process.Pid, syscall.SIGKILL)
	if text, err := os.ReadFile(filepath.Join(r.directory, "data", "postmaster.pid")); err == nil {
		if pid, err := strconv.Atoi(strings.Fields(string(text))[0]); err == nil && pid > 1 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	_ = r.command.Wait()
}

// whileWriting has a client of the cluster write row after row, and gives the
// longest time from one acknowledged write to the next.
func (r *real) whileWriting(t *testing.T, during func()) (longest time.Duration) {
	t.Helper()
	var hosts []string
	for _, n := range r.world.nodes {
		hosts = append(hosts, n.ip)
	}
	address := fmt.Sprintf("host=%s port=%d user=postgres dbname=postgres target_session_attrs=read-write connect_timeout=2 sslcert=%[3]s/client.crt sslkey=%[3]s/client.key",
		strings.Join(hosts, ","), r.database, r.directory)
	last, begun := time.Time{}, make(chan struct{})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			write := exec.Command(filepath.Join(r.programs, "psql"), "--no-psqlrc", "--dbname="+address, "--command=CREATE TABLE IF NOT EXISTS n (n bigint)", "--command=INSERT INTO n VALUES (1)")
			write.Env = append(os.Environ(), "PGPASSWORD=su\"per: #1")
			if write.Run() == nil {
				if last.IsZero() {
					close(begun)
				} else {
					longest = max(longest, time.Since(last))
				}
				last = time.Now()
			}
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	}()
	select {
	case <-begun:
		during()
	case <-time.After(time.Minute):
		t.Error("nothing could be written")
	}
	close(stop)
	<-stopped
	return max(longest, time.Since(last))
}

// patch changes the settings of the cluster.
func (r *real) patch(t *testing.T, body string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{
		RootCAs: r.world.ca.pool(), Certificates: []tls.Certificate{r.world.ca.issue(t, "")}, MinVersion: tls.VersionTLS12,
	}}}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPatch, fmt.Sprintf("https://%s:%d/config", r.ip, r.world.port), strings.NewReader(body))
	require.NoError(t, err)
	answer, err := client.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

// startEtcd runs an etcd that talks TLS only.
func startEtcd(t *testing.T, ca authority) (endpoint string) {
	t.Helper()
	dir := t.TempDir()
	c := embed.NewConfig()
	c.Dir, c.LogLevel, c.LogOutputs = filepath.Join(dir, "data"), "error", []string{os.DevNull}
	c.ClientTLSInfo.CertFile, c.ClientTLSInfo.KeyFile = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	cert, key := texts(t, ca.issue(t, "127.0.0.1"))
	require.NoError(t, os.WriteFile(c.ClientTLSInfo.CertFile, []byte(cert), 0o600))
	require.NoError(t, os.WriteFile(c.ClientTLSInfo.KeyFile, []byte(key), 0o600))
	c.ListenClientUrls = []url.URL{{Scheme: "https", Host: fmt.Sprint("127.0.0.1:", loopback.Port(t))}}
	c.ListenPeerUrls = []url.URL{{Scheme: "http", Host: fmt.Sprint("127.0.0.1:", loopback.Port(t))}}
	c.AdvertiseClientUrls, c.AdvertisePeerUrls = c.ListenClientUrls, c.ListenPeerUrls
	c.InitialCluster = c.InitialClusterFromName(c.Name)
	etcd, err := embed.StartEtcd(c)
	require.NoError(t, err)
	t.Cleanup(etcd.Close)
	<-etcd.Server.ReadyNotify()
	return c.ListenClientUrls[0].Host
}
