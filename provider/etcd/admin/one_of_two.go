package admin

import (
	"context"
	"slices"
)

// oneOfTwo counts the looks in a row in which one of two voting members does not serve, and
// the other runs without a quorum. They have one together only: the one that is unavailable
// may change if the program keeps it, since its next machine brings the quorum back. An update
// that failed between the deletion of a machine and its creation leaves a cluster of two like
// that.
type oneOfTwo struct {
	HealthArgs
	looks int
}

// passes reports whether a wait ends successfully although a look failed.
func (o *oneOfTwo) passes(ctx context.Context, failed error) bool {
	if *o.Require != Quorum || !notNow(failed) {
		o.looks = 0
		return false
	}
	if o.looks++; !o.lacksOne(context.WithoutCancel(ctx)) { // which has bounds of its own
		o.looks = 0
	}
	return o.looks >= unmissed
}

// lacksOne asks the members.
func (o *oneOfTwo) lacksOne(ctx context.Context) bool {
	reports, err := reportsOf(ctx, o.Etcd, o.Members)
	if err != nil || !reports.listed || reports.quorate(ctx, o.Etcd) != "" {
		return false
	}
	voters := slices.DeleteFunc(reports.all, func(r memberReport) bool { return r.learner })
	return len(voters) == 2 && (o.mayLack(voters[0], voters[1]) || o.mayLack(voters[1], voters[0]))
}

// mayLack reports whether one member does not serve and is the one that may change, and the
// other has data. The program has both.
func (o *oneOfTwo) mayLack(one, other memberReport) bool {
	return slices.Contains(o.names(), one.name) && slices.Contains(o.names(), other.name) &&
		!one.hasData() && one.page.State == "" && other.hasData() && (o.Without == nil || *o.Without == one.name)
}
