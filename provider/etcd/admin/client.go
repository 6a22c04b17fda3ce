// Package admin has the resources that are in an etcd cluster, not on a
// machine: its users, roles and keys, its members, and whether it is healthy.
//
// Each connects to the cluster from where Pulumi runs.
package admin

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/object"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

const (
	dialTimeout = 5 * time.Second
	callTimeout = 30 * time.Second
)

// With calls do with a client of the cluster.
func With(ctx context.Context, c host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	return within(ctx, callTimeout, c, do)
}

// within is With for calls that may take as long as limit.
func within(ctx context.Context, limit time.Duration, c host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	client, err := Dial(ctx, c)
	if err == nil {
		defer client.Close()
		err = fault.Do(func() error { return do(ctx, client) }) // the caller notes what it had done before
	}
	if Unreachable(err) {
		return why(c, err)
	}
	return err
}

// Dial makes a client of the cluster. With a user it logs in, so that it fails
// where no member answers.
func Dial(ctx context.Context, c host.EtcdConnection) (*clientv3.Client, error) {
	secure, err := tlsConfig(c)
	if err != nil {
		return nil, err
	}
	return clientv3.New(clientv3.Config{
		Context:     ctx,
		Endpoints:   c.Endpoints,
		TLS:         secure,
		Username:    ptr.Value(c.Username),
		Password:    ptr.Value(c.Password),
		DialTimeout: dialTimeout,
		Logger:      zap.NewNop(), // the default would write where the engine reads
	})
}

func tlsConfig(c host.EtcdConnection) (*tls.Config, error) {
	return object.TLS(c.CACert, c.ClientCert, ptr.Value(c.ClientKey))
}

// FromEnvironment is the connection that etcdctl would use, for imports: a
// resource that is imported has no inputs yet.
func FromEnvironment() (host.EtcdConnection, error) {
	c := host.EtcdConnection{Endpoints: strings.Split(os.Getenv("ETCDCTL_ENDPOINTS"), ",")}
	if c.Endpoints[0] == "" {
		return c, errors.New("to import, set the environment variables by which etcdctl reaches etcd: ETCDCTL_ENDPOINTS, ETCDCTL_CACERT, and either ETCDCTL_CERT and ETCDCTL_KEY or ETCDCTL_USER and ETCDCTL_PASSWORD")
	}
	for i, endpoint := range c.Endpoints {
		c.Endpoints[i] = strings.TrimPrefix(endpoint, "https://")
	}
	var err error
	file := func(variable string) string {
		text, failed := os.ReadFile(os.Getenv(variable))
		if failed != nil {
			err = cmp.Or(err, fmt.Errorf("read the file of %s: %w", variable, failed))
		}
		return string(text)
	}
	c.CACert = file("ETCDCTL_CACERT")
	if user := os.Getenv("ETCDCTL_USER"); user != "" {
		name, password, _ := strings.Cut(user, ":") // etcdctl takes both in one
		password = cmp.Or(os.Getenv("ETCDCTL_PASSWORD"), password)
		c.Username, c.Password = &name, &password
	} else {
		cert, key := file("ETCDCTL_CERT"), file("ETCDCTL_KEY")
		c.ClientCert, c.ClientKey = &cert, &key
	}
	return c, err
}
