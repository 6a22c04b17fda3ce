package admin

import (
	"cmp"
	"context"
	"net"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// remains are the members of a cluster that may have lost its quorum, as each
// says of itself: nobody confirms that, and nobody can log in.
type remains struct {
	all    []remnant
	listed bool // by one of them: these are all members that there are
}

// remnant is such a member.
type remnant struct {
	name, address string
	learner       bool
	had           bool // data, once: another member says so
	waits         bool // etcd runs and serves nobody, as it does until it sees a leader for the first time
	answer
}

// hasData reports whether the member has data for certain.
func (r remnant) hasData() bool { return r.status != nil || r.waits }

// remainsOf asks all members side by side. It takes about six seconds at most.
func remainsOf(ctx context.Context, c host.EtcdConnection, members []HealthMember) (remains, error) {
	c.Username, c.Password = nil, nil
	client, err := Dial(ctx, c)
	if err != nil {
		return remains{}, err
	}
	defer client.Close()
	var left remains
	for _, m := range members {
		left.all = append(left.all, remnant{name: m.Name, address: hostPort(endpoint(m.IP))})
	}
	for _, address := range c.Endpoints {
		if len(members) == 0 {
			left.all = append(left.all, remnant{name: address, address: hostPort(address)})
		}
	}
	left.ask(ctx, client, c)
	for _, r := range left.all {
		if !r.hasData() {
			continue
		}
		if list := listOf(ctx, client, c, r); len(list) > 0 {
			left.list(list)
			left.ask(ctx, client, c)
			break
		}
	}
	return left, nil
}

// ask asks each member that has not been asked yet.
func (l remains) ask(ctx context.Context, client *clientv3.Client, c host.EtcdConnection) {
	ctx, cancel := context.WithTimeout(ctx, oneKnock)
	defer cancel()
	sideBySide(len(l.all), func(i int) {
		r := &l.all[i]
		if r.status != nil || r.fault != "" {
			return
		}
		var asked fault.Group
		starts := false
		asked.Go(func() { starts = r.starts(ctx) })
		if r.answer = ask(ctx, client, c, r.address); r.status == nil && r.page.State == "" {
			r.measure(ctx, c)
		}
		asked.Wait()
		r.waits = starts && r.status == nil && r.page.State == ""
		if r.name == r.address {
			r.name = cmp.Or(shownName(ctx, r.peer()), shownName(ctx, r.address), r.name)
		}
	})
}

// starts reports whether etcd answers its peers and accepts connections of clients.
func (r remnant) starts(ctx context.Context) bool {
	return accepted(ctx, []string{r.address}) && greets(ctx, r.peer())
}

// peer is the address for other members.
func (r remnant) peer() string {
	at, _, _ := net.SplitHostPort(r.address)
	return ports.At(at, ports.EtcdPeer)
}

// list takes the members from the list that one of them has.
func (l *remains) list(members []*etcdserverpb.Member) {
	known := map[string]remnant{}
	for _, r := range l.all {
		known[r.address] = r
	}
	l.all, l.listed = nil, true
	for _, m := range members {
		at, _, _ := net.SplitHostPort(hostPort(first(append(m.ClientURLs, m.PeerURLs...))))
		r := remnant{address: hostPort(endpoint(at))}
		if was, is := known[r.address]; is {
			r = was
		}
		if r.page.Name != "" && m.Name != "" && r.page.Name != m.Name { // which got its address, and may be off itself
			r.answer = answer{fault: "does not answer: " + r.page.Name + " has its address"}
		}
		r.name, r.learner, r.had = called(m), m.IsLearner, started(m)
		l.all = append(l.all, r)
	}
	slices.SortFunc(l.all, func(a, b remnant) int { return strings.Compare(a.name, b.name) })
}
