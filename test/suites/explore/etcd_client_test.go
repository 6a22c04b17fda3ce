package explore

import (
	"context"
	"fmt"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// etcdKeys are where numbers are written in an etcd cluster.
type etcdKeys struct {
	subject    *etcdSubject
	connection host.EtcdConnection
	client     *clientv3.Client
}

// write begins to write, if the stack says how.
func (e *etcdSubject) write() {
	outputs := e.trial.Outputs()
	text := func(name string) string { s, _ := outputs[name].(string); return s }
	cert, key := text("rootCert"), text("rootKey")
	if cert == "" || key == "" || !e.quorate() {
		return
	}
	connection := host.EtcdConnection{CACert: text("caCert"), ClientCert: &cert, ClientKey: &key, Endpoints: e.endpoints()}
	client, err := admin.Dial(e.trial.tb.Context(), connection)
	require.NoError(e.trial.tb, err)
	e.trial.tb.Cleanup(func() { _ = client.Close() })
	e.writer = startWriter(e.trial.tb, etcdKeys{e, connection, client}, 3*time.Second, 50*time.Millisecond)
}

// endpoints are those of all machines that ever were.
func (e *etcdSubject) endpoints() (all []string) {
	e.lock.Lock()
	defer e.lock.Unlock()
	for _, address := range e.addresses {
		all = append(all, address+":2379")
	}
	return all
}

func key(n int) string { return fmt.Sprintf("/written/%06d", n) }

func (k etcdKeys) put(ctx context.Context, n int) error {
	_, err := k.client.Put(ctx, key(n), "written")
	if err != nil {
		k.client.SetEndpoints(k.subject.endpoints()...) // the next try knows all members
	}
	return err
}

// count asks with a client of its own: one that could not connect for minutes waits as
// long before it tries again.
func (k etcdKeys) count(ctx context.Context, n int) (int, error) {
	k.connection.Endpoints = k.subject.endpoints()
	client, err := admin.Dial(ctx, k.connection)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	there, err := client.Get(ctx, "/written/", clientv3.WithRange(key(n)), clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return int(there.Count), nil
}

func (k etcdKeys) able() bool { return k.subject.quorate() }
