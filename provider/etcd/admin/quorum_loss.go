package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// certain is how long members must report that their data are gone before the
// quorum is taken for lost.
const certain = 20 * time.Second

// quorumLoss is what a wait knows of a cluster that has no quorum.
type quorumLoss struct {
	reports *recentReports
	since   time.Time // since when the quorum cannot come back, without a break
	patient bool      // whether to wait all the same, for a recovery

	restores []HealthMember // that found the cluster from a snapshot
}

// explain says why a look failed. If the quorum cannot come back by itself, that
// is an error, which ends the wait.
func (l *quorumLoss) explain(ctx context.Context, missing string, failed error) (string, error) {
	missing, err := later(missing, failed)
	if err != nil || failed == nil {
		l.since = time.Time{}
		l.reports.forget()
		return missing, err
	}
	reports, unknown := l.reports.get(ctx)
	if unknown != nil || reports.sees() != "" || !slices.ContainsFunc(reports.all, memberReport.hasData) {
		l.since = time.Time{}
		return strings.Join(append([]string{missing}, restoring(ctx, l.restores)...), "\n"), nil
	}
	state, advice, final := reports.describe()
	known := strings.TrimSpace(state + "\n" + advice)
	if !final || l.patient {
		l.since = time.Time{}
		return known, nil
	}
	if l.since.IsZero() {
		l.since = time.Now()
	}
	if time.Since(l.since) > certain {
		return "", errors.New(known)
	}
	return known, nil
}

// sees is the name of a member that sees a leader, or "".
func (l memberReports) sees() string {
	for _, r := range l.all {
		if r.status != nil && r.status.Leader != 0 {
			return r.name
		}
	}
	return ""
}

// quorate is what shows that there is a quorum, or "": members that see a
// leader, or a list of the members, which only a quorum confirms.
func (l memberReports) quorate(ctx context.Context, c host.EtcdConnection) string {
	if by := l.sees(); by != "" {
		return by + " sees a leader"
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	err := With(ctx, c, func(ctx context.Context, client *clientv3.Client) error {
		_, err := list(ctx, client)
		return err
	})
	if err == nil {
		return "etcd answers"
	}
	return ""
}

// describe says what each member has and what can be done. final reports whether
// the quorum cannot come back by itself.
func (l memberReports) describe() (state, advice string, final bool) {
	var lines, gone, silent []string
	voters := 0
	for _, r := range l.all {
		if r.learner {
			continue
		}
		voters++
		lines = append(lines, r.name+" "+r.condition())
		switch {
		case r.page.State == blank && (r.had || !l.listed):
			gone = append(gone, r.name)
		case !r.hasData() && r.page.State == "":
			silent = append(silent, r.name)
		}
	}
	state = fmt.Sprintf("the cluster has no quorum: %d of %d voting members are needed\n%s", quorum(voters), voters, strings.Join(lines, "\n"))
	recoverFrom := fmt.Sprintf("`recoverFrom: %s` of the EtcdCluster re-creates it from the data of %[1]s, and the others join it", l.best().name)
	// Without a list, members without data may be new ones of a cluster that has its quorum:
	// then none may be silent.
	if len(gone) > tolerated(voters) && (l.listed || len(silent) == 0) {
		return state, fmt.Sprintf("The quorum cannot come back by itself: the data of %s are gone. %s", strings.Join(gone, ", "), recoverFrom), true
	}
	if len(silent) > 0 {
		advice = fmt.Sprintf("Start %s. Only if their data are lost for good: %s", strings.Join(silent, ", "), recoverFrom)
	}
	return state, advice, false
}

// condition says what a member has, or why that is not known.
func (r memberReport) condition() string {
	switch {
	case r.status != nil:
		return fmt.Sprintf("has data, of revision %d", r.status.Header.Revision)
	case r.waits:
		return "has data, and reports their revision only once it sees a leader"
	case r.page.State == blank:
		return "has no data"
	case r.page.State != "":
		return r.page.Reason
	}
	return r.fault
}

// best is the member with the latest data, as far as revisions are known.
func (l memberReports) best() memberReport {
	return slices.MaxFunc(l.all, func(a, b memberReport) int { return cmp.Compare(a.revision(), b.revision()) })
}

// revision of the data, 0 where it is not known, and less without data.
func (r memberReport) revision() int64 {
	switch {
	case r.learner || !r.hasData():
		return -1
	case r.status == nil:
		return 0
	}
	return r.status.Header.Revision
}
