package clusters

import (
	"crypto/tls"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/numbers"
)

// connection is that of root, as the stack says it.
func (c *cluster) connection() host.EtcdConnection {
	cert, key := c.Output("rootCert"), c.Output("rootKey")
	return host.EtcdConnection{Endpoints: c.published(), CACert: c.Output("caCert"), ClientCert: &cert, ClientKey: &key}
}

// published are the endpoints that the stack says.
func (c *cluster) published() (all []string) {
	for _, endpoint := range c.Outputs()["endpoints"].([]any) {
		all = append(all, endpoint.(string))
	}
	return all
}

// client reaches the cluster as root.
func (c *cluster) client(t *testing.T) *clientv3.Client {
	t.Helper()
	client, err := admin.Dial(t.Context(), c.connection())
	require.NoError(t, err)
	t.Cleanup(func() { client.Close() })
	return client
}

// served is the certificate that a member shows.
func (c *cluster) served(t *testing.T, member string) string {
	t.Helper()
	address := fmt.Sprintf("%s.%s:2379", c.subnet, member[strings.LastIndex(member, "-")+1:])
	connection, err := (&tls.Dialer{Config: &tls.Config{InsecureSkipVerify: true}}).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	defer connection.Close()
	return connection.(*tls.Conn).ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// voters are the ids of the members that vote, by name.
func (c *cluster) voters(t *testing.T) map[string]uint64 {
	t.Helper()
	list, err := c.client(t).MemberList(t.Context())
	require.NoError(t, err)
	voters := map[string]uint64{}
	for _, m := range list.Members {
		if !m.IsLearner {
			voters[m.Name] = m.ID
		}
	}
	return voters
}

// numbers are those that tests write to the cluster.
func (c *cluster) numbers(t *testing.T) numbers.Etcd {
	t.Helper()
	endpoints := c.published()
	return numbers.InEtcd(t, c.connection(), func() []string { return endpoints })
}

func (c *cluster) write(t *testing.T) *writer { t.Helper(); return write(t, c.numbers(t)) }
