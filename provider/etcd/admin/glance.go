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
	// glanceTimeout bounds what a refresh asks for one resource.
	glanceTimeout = 5 * time.Second
	// stillAway is how long a cluster is taken for away after it was: a refresh
	// of many resources would wait for it many times.
	stillAway = time.Minute
)

// absences are the clusters that did not answer, by how they were asked.
type absences struct {
	lock  sync.Mutex
	since map[string]absence
}

type absence struct {
	at  time.Time
	err error
}

func absenceKey(c host.EtcdConnection) string {
	return strings.Join(append(slices.Sorted(slices.Values(c.Endpoints)), ptr.Value(c.Username), ptr.Value(c.ClientCert), c.CACert), " ")
}

// Glance is With for what must not take long: it asks for seconds, and not at
// all a cluster that has just been seen not to answer.
func Glance(ctx context.Context, c host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	if err := lately(ctx, c); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, glanceTimeout)
	defer cancel()
	return note(ctx, c, With(bounded, c, do))
}

// lately is why a cluster did not answer a moment ago, or nil.
func lately(ctx context.Context, c host.EtcdConnection) error {
	seen := running.Of[absences](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if was, has := seen.since[absenceKey(c)]; has && time.Since(was.at) < stillAway {
		return was.err
	}
	return nil
}

// note remembers whether the cluster answered, and passes on err.
func note(ctx context.Context, c host.EtcdConnection, err error) error {
	seen := running.Of[absences](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if !Unreachable(err) && !refusedByTLS(err) {
		delete(seen.since, absenceKey(c))
		return err
	}
	if seen.since == nil {
		seen.since = map[string]absence{}
	}
	seen.since[absenceKey(c)] = absence{time.Now(), err}
	return err
}

// answerError is what is wrong with what etcd has: it did answer.
type answerError string

func (e answerError) Error() string { return string(e) }

// isUnread reports whether a refresh failed to learn what etcd has.
func isUnread(err error) bool { return err != nil && !errors.As(err, new(answerError)) }

// Unread says that the thing was not read, and why. It stays in the state as it
// was: a refresh that failed would end the update that repairs the cluster.
func (t Thing) Unread(ctx context.Context, err error) {
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s could not be read from etcd, and its state was not refreshed: %s", t, err))
}
