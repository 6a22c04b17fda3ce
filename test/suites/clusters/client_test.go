package clusters

import (
	"context"
	"crypto/tls"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// client reaches the cluster with what the stack says, as root.
func (c *cluster) client(t *testing.T) *clientv3.Client {
	t.Helper()
	outputs := c.Outputs()
	connection := host.EtcdConnection{CACert: c.Output("caCert")}
	for _, endpoint := range outputs["endpoints"].([]any) {
		connection.Endpoints = append(connection.Endpoints, endpoint.(string))
	}
	cert, key := c.Output("rootCert"), c.Output("rootKey")
	connection.ClientCert, connection.ClientKey = &cert, &key
	client, err := admin.Dial(t.Context(), connection)
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

// keys are where a writer writes to etcd.
type keys struct {
	t       *testing.T
	cluster *cluster
	client  *clientv3.Client
}

func (c *cluster) keys(t *testing.T) keys { t.Helper(); return keys{t, c, c.client(t)} }

func (c *cluster) write(t *testing.T) *writer { t.Helper(); return write(t, c.keys(t)) }

func (k keys) put(ctx context.Context, n int) error {
	_, err := k.client.Put(ctx, key(n), "written")
	return err
}

// count asks with a client of its own: a member that was stopped is in this process, and may
// keep a connection that it was about to accept.
func (k keys) count(ctx context.Context, n int) (int, error) {
	there, err := k.cluster.client(k.t).Get(ctx, "/written/", clientv3.WithRange(key(n)), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return int(there.Count), nil
}

func key(n int) string { return fmt.Sprintf("/written/%06d", n) }
