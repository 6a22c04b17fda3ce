package admin

import (
	"context"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
)

// asking is the least time between two calls of reportsOf, which take a few seconds.
const asking = 5 * time.Second

// recentReports are what the members last reported, for all in a wait that want to know.
type recentReports struct {
	etcd    host.EtcdConnection
	members []HealthMember // or none, for those of the connection
	asked   time.Time
	reports memberReports
	err     error
}

// get asks the members unless it just has.
func (r *recentReports) get(ctx context.Context) (memberReports, error) {
	if time.Since(r.asked) > asking {
		r.reports, r.err = reportsOf(context.WithoutCancel(ctx), r.etcd, r.members) // which has bounds of its own
		r.asked = time.Now()
	}
	return r.reports, r.err
}

// forget has the next get ask again.
func (r *recentReports) forget() { r.asked = time.Time{} }
