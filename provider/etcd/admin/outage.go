package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

const (
	// refreshTimeout bounds the requests of a refresh for one resource.
	refreshTimeout = 5 * time.Second
	// outageRemembered is how long a cluster that did not answer is not asked again:
	// otherwise a refresh of many resources would wait for it once for each.
	outageRemembered = time.Minute
)

// outages are the clusters that did not answer, by their connections.
type outages struct {
	lock  sync.Mutex
	since map[string]outage
}

type outage struct {
	at  time.Time
	err error
}

func outageKey(c host.EtcdConnection) string {
	return strings.Join(append(slices.Sorted(slices.Values(c.Endpoints)), ptr.Value(c.Username), ptr.Value(c.ClientCert), c.CACert), " ")
}

// ForRefresh is With for a refresh, which must not take long: it fails after a few
// seconds, and at once if the cluster has not answered in the last minute.
func ForRefresh(ctx context.Context, c host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	if err := recentOutage(ctx, c); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	return noteOutage(ctx, c, With(bounded, c, do))
}

// recentOutage is why a cluster did not answer in the last minute, or nil.
func recentOutage(ctx context.Context, c host.EtcdConnection) error {
	seen := running.Of[outages](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if was, has := seen.since[outageKey(c)]; has && time.Since(was.at) < outageRemembered {
		return was.err
	}
	return nil
}

// noteOutage notes whether the cluster answered a request that ended with err, and returns err.
func noteOutage(ctx context.Context, c host.EtcdConnection, err error) error {
	seen := running.Of[outages](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if !Unreachable(err) && !refusedByTLS(err) {
		delete(seen.since, outageKey(c))
		return err
	}
	if seen.since == nil {
		seen.since = map[string]outage{}
	}
	seen.since[outageKey(c)] = outage{time.Now(), err}
	return err
}

// answerError says what is wrong with the data in etcd, which did answer.
type answerError string

func (e answerError) Error() string { return string(e) }

// isUnread reports whether a refresh could not read from etcd.
func isUnread(err error) bool { return err != nil && !errors.As(err, new(answerError)) }

// Unread warns that the object could not be read, and why. Its state stays as it was:
// if the refresh failed, the update that repairs the cluster could not run.
func (o Object) Unread(ctx context.Context, err error) {
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s could not be read from etcd, and its state was not refreshed: %s", o, err))
}
