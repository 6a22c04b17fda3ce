package clusters

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// sign is a certificate of an RSA key, and the key.
func (a *authority) sign(t *testing.T, name string, ips ...string) (cert, key string) {
	t.Helper()
	own, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	like := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, ip := range ips {
		like.IPAddresses = append(like.IPAddresses, net.ParseIP(ip))
	}
	der, err := x509.CreateCertificate(rand.Reader, like, a.cert, own.Public(), a.key)
	require.NoError(t, err)
	cert = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	key = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(own)}))
	return cert, key
}

// others are members of a cluster that no program made: etcd of Debian 13, set up as the Terraform
// modules do, with the authority appended to certificates.
type others struct {
	t       *testing.T
	dir     string
	subnet  string
	ca      *authority
	members []string
	running map[string]*exec.Cmd

	byPassword bool
	root       host.EtcdConnection
}

// ip is that of a member.
func (o *others) ip(name string) string {
	return o.subnet + "." + name[strings.LastIndex(name, "-")+1:]
}

// newOthers founds a cluster, of which root is a client with a certificate or, by password, with that.
func newOthers(t *testing.T, c *cluster, byPassword bool, names ...string) *others {
	t.Helper()
	o := &others{t: t, dir: t.TempDir(), subnet: c.subnet, ca: c.ca, members: names, running: map[string]*exec.Cmd{}, byPassword: byPassword}
	for _, name := range names {
		o.start(name, "new")
	}
	t.Cleanup(func() {
		for _, name := range names {
			o.stop(name)
			if said, _ := os.ReadFile(filepath.Join(o.dir, name, "log")); t.Failed() {
				t.Logf("%s said:\n%s", name, said)
			}
		}
	})
	cert, key := o.ca.sign(t, "root")
	o.root = host.EtcdConnection{CACert: o.ca.certPEM, ClientCert: &cert, ClientKey: &key}
	for _, name := range names {
		o.root.Endpoints = append(o.root.Endpoints, o.ip(name)+":2379")
	}
	require.Eventually(t, func() bool {
		client, err := admin.Dial(t.Context(), o.root)
		if err != nil {
			return false
		}
		defer client.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err = client.Get(ctx, "is there")
		return err == nil
	}, time.Minute, time.Second)
	return o
}

// client is one of root.
func (o *others) client() *clientv3.Client {
	o.t.Helper()
	client, err := admin.Dial(o.t.Context(), o.root)
	require.NoError(o.t, err)
	o.t.Cleanup(func() { _ = client.Close() })
	return client
}

// authenticate turns authentication on.
func (o *others) authenticate() {
	o.t.Helper()
	client, password := o.client(), "of-the-others"
	_, err := client.UserAddWithOptions(o.t.Context(), "root", password, &clientv3.UserAddOptions{})
	require.NoError(o.t, err)
	_, err = client.UserGrantRole(o.t.Context(), "root", "root")
	require.NoError(o.t, err)
	_, err = client.AuthEnable(o.t.Context())
	require.NoError(o.t, err)
	if o.byPassword {
		user := "root"
		o.root.ClientCert, o.root.ClientKey, o.root.Username, o.root.Password = nil, nil, &user, &password
	}
}

// start starts a member, which founds the cluster ("new") or joins it ("existing").
func (o *others) start(name, state string) {
	o.t.Helper()
	dir := filepath.Join(o.dir, name)
	require.NoError(o.t, os.MkdirAll(filepath.Join(dir, "data"), 0o700))
	cert, key := o.ca.sign(o.t, name, o.ip(name), "127.0.0.1")
	var all []string
	for _, member := range o.members {
		all = append(all, fmt.Sprintf("%s=https://%s:2380", member, o.ip(member)))
	}
	transport := fmt.Sprintf("{cert-file: %[1]s/tls.crt, key-file: %[1]s/tls.key", dir)
	mutual := fmt.Sprintf("%s, trusted-ca-file: %s/ca.crt, client-cert-auth: true}", transport, dir)
	toClients := mutual
	if o.byPassword {
		toClients = transport + "}"
	}
	conf := fmt.Sprintf(`
name: %s
data-dir: %s/data
log-level: error
initial-cluster-token: of-terraform
initial-cluster-state: %s
initial-cluster: %s
initial-advertise-peer-urls: https://%[5]s:2380
listen-peer-urls: https://%[5]s:2380
listen-client-urls: https://%[5]s:2379
advertise-client-urls: https://%[5]s:2379
peer-transport-security: %s
client-transport-security: %s
`, name, dir, state, strings.Join(all, ","), o.ip(name), mutual, toClients)
	for file, text := range map[string]string{"ca.crt": o.ca.certPEM, "tls.crt": cert + o.ca.certPEM, "tls.key": key, "conf.yml": conf} {
		require.NoError(o.t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	programs, err := engine.EtcdReleases()
	require.NoError(o.t, err, "run tools/build etcd")
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(o.t, err)
	defer log.Close()
	etcd := exec.Command(filepath.Join(programs, "etcd-"+debian13), "--config-file", filepath.Join(dir, "conf.yml"))
	etcd.Stdout, etcd.Stderr = log, log
	etcd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(o.t, etcd.Start())
	o.running[name] = etcd
}

// stop stops a member, as its machine is shut down.
func (o *others) stop(name string) {
	if etcd := o.running[name]; etcd != nil {
		delete(o.running, name)
		_ = etcd.Process.Signal(syscall.SIGTERM)
		_ = etcd.Wait()
	}
}

// again has a member that was given up join the cluster once more, without data.
func (o *others) again(name string) {
	o.t.Helper()
	require.NoError(o.t, os.RemoveAll(filepath.Join(o.dir, name)))
	_, err := o.client().MemberAdd(o.t.Context(), []string{"https://" + o.ip(name) + ":2380"})
	require.NoError(o.t, err)
	o.start(name, "existing")
}
