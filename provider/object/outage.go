package object

import (
	"context"
	"fmt"
	"sync"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// RefreshTimeout bounds the requests of a refresh for one resource.
const RefreshTimeout = 5 * time.Second

// outageRemembered is how long a cluster that did not answer is not asked again:
// otherwise a refresh of many resources would wait for it once for each.
const outageRemembered = time.Minute

// outages are the clusters that did not answer, by their connections.
type outages struct {
	lock  sync.Mutex
	since map[string]outage
}

type outage struct {
	at  time.Time
	err error
}

// ForRefresh calls do for a refresh, which must not take long: it fails after a few
// seconds, and at once if the cluster has not answered in the last minute.
func ForRefresh[C Connection[C]](ctx context.Context, c C, away func(error) bool, do func(context.Context) error) error {
	if err := Recent(ctx, c); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, RefreshTimeout)
	defer cancel()
	return Note(ctx, c, do(bounded), away)
}

// Recent is why a cluster did not answer in the last minute, or nil.
func Recent[C Connection[C]](ctx context.Context, c C) error {
	seen := running.Of[outages](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if was, has := seen.since[known(c)]; has && time.Since(was.at) < outageRemembered {
		return was.err
	}
	return nil
}

// Note notes whether the cluster was away in a request that ended with err, and returns err.
func Note[C Connection[C]](ctx context.Context, c C, err error, away func(error) bool) error {
	seen := running.Of[outages](ctx)
	seen.lock.Lock()
	defer seen.lock.Unlock()
	if !away(err) {
		delete(seen.since, known(c))
		return err
	}
	if seen.since == nil {
		seen.since = map[string]outage{}
	}
	seen.since[known(c)] = outage{time.Now(), err}
	return err
}

func known[C Connection[C]](c C) string { return c.Service() + " " + c.Outage() }

// Unread warns that the object could not be read, and why. Its state stays as it was:
// if the refresh failed, the update that repairs the cluster could not run.
func (o Object[C]) Unread(ctx context.Context, err error) {
	p.GetLogger(ctx).Warning(fmt.Sprintf("%s could not be read from %s, and its state was not refreshed: %s", o, o.By.Service(), err))
}
