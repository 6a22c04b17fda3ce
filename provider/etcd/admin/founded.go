package admin

import (
	"context"
	"net"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// founded reports whether there is a cluster to join: a quorum that answers, also
// with a refusal. Machines that are being made do not even accept connections.
func founded(ctx context.Context, c host.EtcdConnection) bool {
	if !accepted(ctx, c.Endpoints) || aboutToFound(ctx, c) {
		return false
	}
	err := With(ctx, c, func(ctx context.Context, client *clientv3.Client) error {
		_, err := list(ctx, client)
		return err
	})
	return err == nil || isAnswer(err, askedLearner) || refused(err)
}

// aboutToFound reports whether the members of a cluster still wait to found it: one
// of them says so, and etcd runs on none that answers.
func aboutToFound(ctx context.Context, c host.EtcdConnection) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	waits, serves := make([]bool, len(c.Endpoints)), make([]bool, len(c.Endpoints))
	sideBySide(len(c.Endpoints), func(i int) {
		_, waits[i] = joiningAt(ctx, c, c.Endpoints[i])
		serves[i] = !waits[i] && accepted(ctx, c.Endpoints[i:i+1])
	})
	return slices.Contains(waits, true) && !slices.Contains(serves, true)
}

// accepted reports whether one of the endpoints accepts connections.
func accepted(ctx context.Context, endpoints []string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	listens := make([]bool, len(endpoints))
	sideBySide(len(endpoints), func(i int) {
		connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", endpoints[i])
		if listens[i] = err == nil; listens[i] {
			connection.Close()
		}
	})
	return slices.Contains(listens, true)
}
