package admin

import (
	"context"
	"slices"
	"time"
)

// oneOfTwo counts the looks in a row in which one of two voting members does not serve, and
// the other runs without a quorum. They have one together only: the one that is unavailable
// may change if the program keeps it, since its next machine brings the quorum back. An update
// that failed between the deletion of a machine and its creation leaves a cluster of two like
// that. The other may be about to leave.
type oneOfTwo struct {
	HealthArgs
	reports *recentReports
	looks   int
	counted time.Time // when the members were asked for the last of these looks
}

// passes reports whether a wait ends successfully although a look failed.
func (o *oneOfTwo) passes(ctx context.Context, failed error) bool {
	if *o.Require != Quorum || !notNow(failed) {
		o.looks = 0
		return false
	}
	reports, err := o.reports.get(ctx)
	if o.reports.asked.Equal(o.counted) {
		return o.looks >= unmissed
	}
	if o.looks++; err != nil || !o.lacksOne(ctx, reports) {
		o.looks = 0
	}
	o.counted = o.reports.asked
	return o.looks >= unmissed
}

// lacksOne reports whether one of two does not serve and may change. Without a list these are
// the members of the program: whichever others there may be, it takes nothing from them.
func (o *oneOfTwo) lacksOne(ctx context.Context, reports memberReports) bool {
	voters := slices.DeleteFunc(slices.Clone(reports.all), func(r memberReport) bool { return r.learner })
	return len(voters) == 2 && (o.mayLack(voters[0], voters[1]) || o.mayLack(voters[1], voters[0])) &&
		reports.quorate(context.WithoutCancel(ctx), o.Etcd) == "" // which has a bound of its own
}

// mayLack reports whether one member does not serve and is the one that may change, which the
// program keeps, and the other has data.
func (o *oneOfTwo) mayLack(one, other memberReport) bool {
	return slices.Contains(o.names(), one.name) && !one.hasData() && one.page.State == "" && other.hasData() && (o.Without == nil || *o.Without == one.name)
}
