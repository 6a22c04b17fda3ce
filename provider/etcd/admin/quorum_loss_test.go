package admin

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

func at(name string, revision int64) memberReport {
	return memberReport{name: name, had: true, answer: answer{
		status: &clientv3.StatusResponse{Header: &etcdserverpb.ResponseHeader{Revision: revision}}, fault: "sees no leader",
	}}
}

func waiting(name string) memberReport {
	return memberReport{name: name, had: true, waits: true, answer: answer{fault: "does not answer: no answer in time"}}
}

func empty(name string) memberReport {
	return memberReport{name: name, had: true, answer: answer{fault: "does not answer: EOF", page: joining{State: blank}}}
}

func founder(name string) memberReport { r := empty(name); r.had = false; return r }

func off(name string) memberReport {
	return memberReport{name: name, had: true, answer: answer{fault: "does not answer: connection refused"}}
}

func learner(r memberReport) memberReport { r.learner = true; return r }

func TestLoss(t *testing.T) {
	t.Parallel()
	const found = "`recoverFrom: c` of the EtcdCluster re-creates it from the data of c, and the others join it"
	for name, c := range map[string]struct {
		left  memberReports
		says  string
		final bool
	}{
		"two gone": {
			memberReports{listed: true, all: []memberReport{empty("a"), empty("b"), at("c", 7)}},
			"the cluster has no quorum: 2 of 3 voting members are needed\na has no data\nb has no data\nc has data, of revision 7\n" +
				"The quorum cannot come back by itself: the data of a, b are gone. " + found, true,
		},
		"one off": {
			memberReports{listed: true, all: []memberReport{empty("a"), off("b"), at("c", 7)}},
			"the cluster has no quorum: 2 of 3 voting members are needed\na has no data\nb does not answer: connection refused\nc has data, of revision 7\n" +
				"Start b. Only if their data are lost for good: " + found, false,
		},
		"all there": {
			memberReports{listed: true, all: []memberReport{at("a", 6), waiting("b"), at("c", 7)}},
			"the cluster has no quorum: 2 of 3 voting members are needed\na has data, of revision 6\n" +
				"b has data, and reports their revision only once it sees a leader\nc has data, of revision 7", false,
		},
		"founders wait": {
			memberReports{listed: true, all: []memberReport{founder("a"), founder("b"), at("c", 1)}},
			"the cluster has no quorum: 2 of 3 voting members are needed\na has no data\nb has no data\nc has data, of revision 1", false,
		},
		"no list, and one off": {
			memberReports{all: []memberReport{empty("a"), empty("b"), at("c", 7), off("d"), off("e")}},
			"the cluster has no quorum: 3 of 5 voting members are needed\na has no data\nb has no data\nc has data, of revision 7\n" +
				"d does not answer: connection refused\ne does not answer: connection refused\n" +
				"Start d, e. Only if their data are lost for good: " + found, false,
		},
		"no list": {
			memberReports{all: []memberReport{founder("a"), founder("b"), at("c", 7)}},
			"the cluster has no quorum: 2 of 3 voting members are needed\na has no data\nb has no data\nc has data, of revision 7\n" +
				"The quorum cannot come back by itself: the data of a, b are gone. " + found, true,
		},
		"a learner is no voter": {
			memberReports{listed: true, all: []memberReport{learner(empty("a")), empty("b"), at("c", 7)}},
			"the cluster has no quorum: 2 of 2 voting members are needed\nb has no data\nc has data, of revision 7\n" +
				"The quorum cannot come back by itself: the data of b are gone. " + found, true,
		},
		"the latest of five": {
			memberReports{listed: true, all: []memberReport{empty("a"), empty("b"), at("c", 7), at("d", 6), empty("e")}},
			"the cluster has no quorum: 3 of 5 voting members are needed\na has no data\nb has no data\nc has data, of revision 7\nd has data, of revision 6\ne has no data\n" +
				"The quorum cannot come back by itself: the data of a, b, e are gone. " + found, true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state, advice, final := c.left.describe()
			assert.Equal(t, c.says, strings.TrimSpace(state+"\n"+advice))
			assert.Equal(t, c.final, final)
		})
	}
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		left         memberReports
		missing, err string
	}{
		"the only one":    {memberReports{listed: true, all: []memberReport{empty("a"), at("me", 7)}}, "", ""},
		"as good":         {memberReports{listed: true, all: []memberReport{at("a", 7), at("me", 7), off("b")}}, "", ""},
		"restarted":       {memberReports{listed: true, all: []memberReport{empty("a"), waiting("me")}}, "", ""},
		"off":             {memberReports{listed: true, all: []memberReport{off("me")}}, "me does not answer: connection refused: etcd must run there. If the machine is off, `pulumi up --refresh` without recoverFrom starts it", ""},
		"without data":    {memberReports{listed: true, all: []memberReport{empty("me")}}, "", "me has no data"},
		"a learner":       {memberReports{listed: true, all: []memberReport{learner(at("me", 7))}}, "", "me is a learner, which may not have all data"},
		"a stranger":      {memberReports{listed: true, all: []memberReport{at("a", 7)}}, "", "the other members do not list me as a member"},
		"another later":   {memberReports{listed: true, all: []memberReport{at("a", 8), at("me", 7)}}, "", "a has data of revision 8, and me of 7: give recoverFrom: a, or skipHealthChecks for this up takes me nevertheless"},
		"not a learner's": {memberReports{listed: true, all: []memberReport{learner(at("a", 8)), at("me", 7)}}, "", ""},
		"unknown": {
			memberReports{listed: true, all: []memberReport{waiting("a"), at("me", 7)}},
			"me has data, of revision 7, a has data, and reports their revision only once it sees a leader, and it is not known which of them has later data. docs/clusters.md shows how to find out; skipHealthChecks for this up takes me nevertheless", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			missing, err := c.left.refuse("me")
			assert.Equal(t, c.missing, missing)
			if c.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, c.err)
			}
		})
	}
}

// TestAddressTakenOver has a machine without data have the address of a member that is off.
func TestAddressTakenOver(t *testing.T) {
	t.Parallel()
	taken := memberReport{name: "c", address: endpoint("127.0.0.2"), answer: answer{page: joining{Name: "c", State: blank}}}
	l := memberReports{all: []memberReport{taken}}
	l.list([]*etcdserverpb.Member{
		{Name: "a", ClientURLs: []string{"https://127.0.0.1:2379"}},
		{Name: "b", ClientURLs: []string{"https://127.0.0.2:2379"}},
	})
	require.Len(t, l.all, 2)
	assert.Equal(t, "b", l.all[1].name)
	assert.Equal(t, "does not answer: c has its address", l.all[1].condition())
	l = memberReports{all: []memberReport{taken}}
	l.list([]*etcdserverpb.Member{{Name: "c", ClientURLs: []string{"https://127.0.0.2:2379"}}})
	assert.Equal(t, "has no data", l.all[0].condition())
}

// TestUnreachableMembersHaveALineEach has a gate say of each member why it does not answer.
func TestUnreachableMembersHaveALineEach(t *testing.T) {
	t.Parallel()
	silent := unreachableError{[]string{"10.0.0.11:2379: no route to host", "10.0.0.12:2379: connection refused"}}
	missing, err := later("", fmt.Errorf("look: %w", silent))
	require.NoError(t, err)
	assert.Equal(t, "etcd does not answer\n10.0.0.11:2379: no route to host\n10.0.0.12:2379: connection refused", missing)
	assert.EqualError(t, silent, "etcd does not answer at 10.0.0.11:2379: no route to host; 10.0.0.12:2379: connection refused")
	assert.True(t, Unreachable(silent))
}
