package clusters

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// client is a certificate for a user of etcd.
func (a *authority) client(t *testing.T, user string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: user}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// rootPair is the certificate of root, as the stack says it.
func (c *cluster) rootPair(t *testing.T) tls.Certificate {
	t.Helper()
	cert, err := tls.X509KeyPair([]byte(c.Output("rootCert")), []byte(c.Output("rootKey")))
	require.NoError(t, err)
	return cert
}

// intruder has a client's certificate, and talks to members as peers do.
type intruder struct {
	http    *http.Client
	address string
}

func (c *cluster) intruder(t *testing.T, member string, cert tls.Certificate) intruder {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{cert}, InsecureSkipVerify: true}}
	return intruder{&http.Client{Transport: transport, Timeout: 10 * time.Second}, fmt.Sprintf("https://%s.%s:2380", c.subnet, member[len("etcd-"):])}
}

// refused has nothing at the address for peers answer.
func (i intruder) refused(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/members", "/version", "/raft", "/raft/probing", "/raft/stream/message/1", "/raft/snapshot", "/leases/internal", "/downgrade/enabled", "/members/promote/1"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			request, err := http.NewRequestWithContext(t.Context(), method, i.address+path, http.NoBody)
			require.NoError(t, err)
			answer, err := i.http.Do(request)
			if err == nil {
				answer.Body.Close()
			}
			assert.ErrorContains(t, err, "tls: bad certificate", "%s %s", method, path)
		}
	}
}

// proposesRoot proposes, as only peers may, that a user gets the role root.
func (i intruder) proposesRoot(t *testing.T, user string) {
	t.Helper()
	answer, err := i.http.Get(i.address + "/members")
	require.NoError(t, err)
	defer answer.Body.Close()
	var members []struct{ ID uint64 }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&members))
	grant, err := (&etcdserverpb.InternalRaftRequest{
		Header:            &etcdserverpb.RequestHeader{ID: 4711, Username: "root", AuthRevision: 1 << 40},
		AuthUserGrantRole: &etcdserverpb.AuthUserGrantRoleRequest{User: user, Role: "root"},
	}).Marshal()
	require.NoError(t, err)
	for _, m := range members { // it is one of them
		message, err := (&raftpb.Message{Type: raftpb.MsgProp, From: 0xbad, To: m.ID, Entries: []raftpb.Entry{{Data: grant}}}).Marshal()
		require.NoError(t, err)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.address+"/raft", bytes.NewReader(message))
		require.NoError(t, err)
		request.Header.Set("X-Etcd-Cluster-ID", answer.Header.Get("X-Etcd-Cluster-ID"))
		request.Header.Set("X-Server-Version", "3.5.0")
		request.Header.Set("X-Min-Cluster-Version", "3.0.0")
		said, err := i.http.Do(request)
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, said.Body)
		said.Body.Close()
	}
}

func (c *cluster) roles(t *testing.T, user string) []string {
	t.Helper()
	answer, err := c.client(t).UserGet(t.Context(), user)
	require.NoError(t, err)
	return answer.Roles
}

// TestPeersOnly has clients with a certificate of etcd's authority ask members as peers do.
// Before peers had a name, that made a user of one prefix root. Clusters of that time get
// there member by member, while a client writes.
func TestPeersOnly(t *testing.T) {
	t.Parallel()
	for name, release := range map[string]string{"3.5": debian13, "3.6": next} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCluster(t, "etcd-1", "etcd-2", "etcd-3")
			c.releases(t, release)
			c.machines.AnyPeer(true)
			ca := newAuthority(t)
			c.change(func(o *options) { o.extra = ca.input() })
			c.Up()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, user := range []string{"dns", "app"} {
				_, err := c.client(t).UserAddWithOptions(ctx, user, "", &clientv3.UserAddOptions{NoPassword: true})
				require.NoError(t, err)
			}
			intruder := c.intruder(t, "etcd-1", ca.client(t, "dns"))
			require.Eventually(t, func() bool {
				intruder.proposesRoot(t, "dns")
				return len(c.roles(t, "dns")) == 1
			}, time.Minute, time.Second, "the fault is there to be mended")

			writer, before := c.write(t), c.voters(t)
			c.machines.AnyPeer(false)
			c.change(func(o *options) { o.extra += "      etcd: {heartbeatInterval: 150}\n" }) // as the upgrade does, it restarts etcd
			c.Up()
			writer.stop(t)
			assert.LessOrEqual(t, writer.failed, len(before), "none fails but the one on its way when a member restarts, as with any restart")
			assert.Equal(t, before, c.voters(t))
			for _, member := range c.options.members {
				c.intruder(t, member, ca.client(t, "app")).refused(t)
				c.intruder(t, member, ca.client(t, member)).refused(t) // by the name, it would be the member
				c.intruder(t, member, c.rootPair(t)).refused(t)
			}
			assert.Empty(t, c.roles(t, "app"))
			assert.True(t, c.Up().Unchanged())
		})
	}
}

// TestPeersOnlyOfMadeAuthority has root ask the members of a cluster that made its authority.
func TestPeersOnlyOfMadeAuthority(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1", "etcd-2")
	c.Up()
	for _, member := range c.options.members {
		c.intruder(t, member, c.rootPair(t)).refused(t)
	}
	assert.Len(t, c.voters(t), 2, "clients are served")
}
