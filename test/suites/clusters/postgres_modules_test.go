package clusters

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// modules are machines as the Terraform modules make them: Patroni, PostgreSQL and HAProxy with the settings that theirs
// have. They run beside the hypervisor of the test, which knows nothing of them.
type modules struct {
	t        *testing.T
	dir      string
	subnet   string
	ca       *authority
	password string // of root in etcd
	etcdCA   string
	cmds     map[string]*exec.Cmd
	client   tls.Certificate
}

const (
	modulesPasswords = `, superuserPassword: {fn::secret: superuser-of-theirs}, replicatorPassword: {fn::secret: replicator-of-theirs}`

	modulesConf = `scope: main
namespace: /service/
name: %[1]s
restapi:
  listen: %[2]s:4443
  connect_address: %[2]s:4443
  certfile: %[3]s/server.crt
  keyfile: %[3]s/server.key
  cafile: %[3]s/ca.crt
  verify_client: required
ctl: {insecure: false, certfile: %[3]s/client.crt, keyfile: %[3]s/client.key, cacert: %[3]s/ca.crt}
etcd3: {protocol: https, cacert: %[3]s/etcd-ca.crt, username: root, password: "%[5]s", hosts: ["%[4]s.1:2379"]}
bootstrap:
  dcs:
    ttl: 30
    loop_wait: 3
    retry_timeout: 10
    master_start_timeout: 300
    master_stop_timeout: 300
    synchronous_mode: true
    synchronous_mode_strict: true
    synchronous_node_count: 1
    postgresql:
      use_pg_rewind: false
      use_slots: true
      parameters:
        ssl: "on"
        ssl_cert_file: %[3]s/server.crt
        ssl_key_file: %[3]s/server.key
        max_connections: "120"
        work_mem: "8MB"
  initdb: [{encoding: UTF8}, data-checksums, {locale: C}]
postgresql:
  listen: %[2]s:5432
  connect_address: %[2]s:5432
  data_dir: %[3]s/%[6]s/data
  pgpass: %[3]s/pgpass
  parameters: {fsync: "off", unix_socket_directories: %[3]s, ssl_cert_file: %[3]s/server.crt, ssl_key_file: %[3]s/server.key}
  pg_hba: [hostssl all all 0.0.0.0/0 scram-sha-256, hostssl replication replicator 0.0.0.0/0 scram-sha-256]
  authentication:
    replication: {username: replicator, password: replicator-of-theirs, sslmode: verify-full, sslrootcert: %[3]s/ca.crt}
    superuser: {username: postgres, password: superuser-of-theirs, sslmode: verify-full, sslrootcert: %[3]s/ca.crt}
watchdog: {mode: "off"}
tags: {nofailover: false, noloadbalance: false, clonefrom: false, nosync: false}
`
	modulesHaproxy = `defaults
    mode tcp
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout check 2s
listen postgres
    bind %[1]s:5432
    balance roundrobin
    option httpchk OPTIONS /master
    http-check expect status 200
    default-server inter 1000ms rise 1 fall 1 on-marked-down shutdown-sessions
`
)

// newModules has the cluster's etcd up, and nothing else of the program.
func newModules(t *testing.T, d *database) *modules {
	t.Helper()
	etcdAlone, _, _ := strings.Cut(d.options.program(d.subnet), "  main:\n")
	d.Program(etcdAlone + "outputs:\n  etcdPassword: ${etcd.rootPassword}\n")
	d.Up()
	dir, err := os.MkdirTemp("", "modules") // in one of t's only its own user may go
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	m := &modules{
		t: t, dir: dir, subnet: d.subnet, ca: newAuthority(t), cmds: map[string]*exec.Cmd{},
		password: d.Output("etcdPassword"), etcdCA: d.Resource(":EtcdCluster", "etcd").Outputs["caCert"].(string),
	}
	cert, key := m.issue("patroni-client")
	m.client, err = tls.X509KeyPair([]byte(cert), []byte(key))
	require.NoError(t, err)
	t.Cleanup(func() {
		for name := range m.cmds {
			m.off(name)
		}
		if t.Failed() {
			logs, _ := filepath.Glob(filepath.Join(dir, "*", "log"))
			for _, log := range logs {
				text, _ := os.ReadFile(log)
				t.Logf("%s said:\n%s", log, text[max(0, len(text)-3000):])
			}
		}
		_ = os.RemoveAll(dir)
	})
	return m
}

// issue is a certificate for addresses.
func (m *modules) issue(name string, ips ...string) (cert, key string) {
	m.t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(m.t, err)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, ip := range ips {
		leaf.IPAddresses = append(leaf.IPAddresses, net.ParseIP(ip))
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, m.ca.cert, own.Public(), m.ca.key)
	require.NoError(m.t, err)
	text, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(m.t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text}))
}

// on starts a node, which has the data that it had before.
func (m *modules) on(name, last string) {
	m.t.Helper()
	at, ip := filepath.Join(m.dir, name), m.subnet+"."+last
	cert, key := m.issue("postgres", ip, m.subnet+".41", m.subnet+".42")
	clientCert, clientKey := m.issue("patroni-client")
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	version := filepath.Base(filepath.Dir(programs[0]))
	require.NoError(m.t, os.MkdirAll(filepath.Join(at, version), 0o755))
	for file, text := range map[string]string{
		"server.crt": cert + m.ca.certPEM, "server.key": key, "client.crt": clientCert, "client.key": clientKey, "ca.crt": m.ca.certPEM,
		"etcd-ca.crt": m.etcdCA, "conf.yml": fmt.Sprintf(modulesConf, name, ip, at, m.subnet, m.password, version),
	} {
		require.NoError(m.t, os.WriteFile(filepath.Join(at, file), []byte(text), 0o600))
	}
	m.run(name, "patroni", filepath.Join(at, "conf.yml"))
	m.cmds[name].Env = append(os.Environ(), "HOME="+at, "PATRONI_POSTGRESQL_BIN_DIR="+programs[0])
	require.NoError(m.t, m.cmds[name].Start())
}

// balance starts a load balancer of nodes.
func (m *modules) balance(name, last string, nodes ...string) {
	m.t.Helper()
	at := filepath.Join(m.dir, name)
	cert, key := m.issue("patroni-client")
	text := fmt.Sprintf(modulesHaproxy, m.subnet+"."+last)
	for _, node := range nodes {
		text += fmt.Sprintf("    server %s %s.%[1]s:5432 check port 4443 check-ssl verify required ca-file %[3]s/ca.crt crt %[3]s/client.pem\n", node, m.subnet, at)
	}
	require.NoError(m.t, os.MkdirAll(at, 0o755))
	for file, text := range map[string]string{"ca.crt": m.ca.certPEM, "client.pem": cert + key, "haproxy.cfg": text} {
		require.NoError(m.t, os.WriteFile(filepath.Join(at, file), []byte(text), 0o600))
	}
	m.run(name, "haproxy", "-db", "-f", filepath.Join(at, "haproxy.cfg"))
	require.NoError(m.t, m.cmds[name].Start())
}

// run is the process of a machine, yet to be started.
func (m *modules) run(name, program string, args ...string) {
	m.t.Helper()
	at := filepath.Join(m.dir, name)
	log, err := os.OpenFile(filepath.Join(at, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(m.t, err)
	command := exec.Command(program, args...)
	command.Dir, command.Stdout, command.Stderr = at, log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 { // whom PostgreSQL refuses to run as
		said, err := exec.Command("chown", "-R", "nobody", at).CombinedOutput()
		require.NoError(m.t, err, "%s", said)
		command.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	m.cmds[name] = command
}

// off shuts a machine down.
func (m *modules) off(name string) {
	command := m.cmds[name]
	if command == nil || command.Process == nil {
		return
	}
	delete(m.cmds, name)
	_ = command.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() { _ = command.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	}
	pids, _ := filepath.Glob(filepath.Join(m.dir, name, "*", "data", "postmaster.pid"))
	for _, file := range pids {
		if text, err := os.ReadFile(file); err == nil {
			_ = exec.Command("kill", "-9", strings.Fields(string(text))[0]).Run()
		}
	}
}

// ask is what a node's Patroni answers.
func (m *modules) ask(last, path string) string {
	roots := x509.NewCertPool()
	roots.AddCert(m.ca.cert)
	c := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{m.client}}, DisableKeepAlives: true,
	}}
	answer, err := c.Get("https://" + m.subnet + "." + last + ":4443" + path)
	if err != nil {
		return err.Error()
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return string(bytes.TrimSpace(text))
}

// member is what Patroni tells of one.
type patroniMember struct{ Name, Role, State string }

// members are those of the cluster, as any of the nodes tells, by their names.
func (m *modules) members() map[string]patroniMember {
	all := map[string]patroniMember{}
	for _, last := range []string{"11", "12", "13"} {
		var told struct{ Members []patroniMember }
		if json.Unmarshal([]byte(m.ask(last, "/cluster")), &told) == nil && len(told.Members) > 0 {
			for _, each := range told.Members {
				all[each.Name] = each
			}
			break
		}
	}
	return all
}

// leader is the name of the one that leads.
func (m *modules) leader() string {
	for _, each := range m.members() {
		if each.Role == "leader" {
			return each.Name
		}
	}
	return ""
}

// settle waits until there are so many members, all of which run, and as many synchronous standbys as there are to be.
func (m *modules) settle(count int) {
	m.t.Helper()
	require.Eventually(m.t, func() bool {
		all, well, sync := m.members(), 0, 0
		for _, each := range all {
			if each.State == "running" || each.State == "streaming" {
				well++
			}
			if each.Role == "sync_standby" {
				sync++
			}
		}
		return len(all) == count && well == count && sync == 1 && m.leader() != ""
	}, 2*time.Minute, time.Second, "members: %v", m.members())
}

// startAll has three nodes up, of which postgres-1 leads.
func (m *modules) startAll() {
	m.t.Helper()
	m.on("postgres-1", "11")
	require.Eventually(m.t, func() bool { return m.leader() == "postgres-1" }, 2*time.Minute, time.Second)
	m.on("postgres-2", "12")
	m.on("postgres-3", "13")
	m.settle(3)
}
