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
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// memberReports are what the members of a cluster that may have lost its quorum
// report, each of itself. Without a quorum no client can log in, and no other
// member confirms it.
type memberReports struct {
	all    []memberReport
	listed bool // whether one of them gave the list of members, so that these are all
}

// memberReport is what one member reports of itself.
type memberReport struct {
	name, address string
	learner       bool
	had           bool // whether another member says that it once had data
	waits         bool // whether etcd runs and does not serve clients yet, as until it first sees a leader
	answer
}

// hasData reports whether the member has data for certain.
func (r memberReport) hasData() bool { return r.status != nil || r.waits }

// reportsOf asks all members in parallel. It takes about six seconds at most. Those that were
// removed from the program are asked too, who is in the cluster: there may be nobody else left.
func reportsOf(ctx context.Context, c host.EtcdConnection, members []HealthMember) (memberReports, error) {
	c.Username, c.Password = nil, nil
	client, err := Dial(ctx, c)
	if err != nil {
		return memberReports{}, err
	}
	defer client.Close()
	var reports memberReports
	for _, m := range members {
		reports.all = append(reports.all, memberReport{name: m.Name, address: hostPort(endpoint(m.IP))})
	}
	for _, address := range c.Endpoints {
		if len(members) == 0 {
			reports.all = append(reports.all, memberReport{name: address, address: hostPort(address)})
		}
	}
	kept := len(reports.all)
	former, _ := running.Noted[formerEndpoints](ctx, strings.Join(c.Endpoints, " "))
	for _, address := range former {
		reports.all = append(reports.all, memberReport{name: address, address: hostPort(address)})
	}
	reports.ask(ctx, client, c)
	for _, r := range reports.all {
		if r.status == nil {
			continue
		}
		if list := memberListOf(ctx, client, r); len(list) > 0 {
			reports.list(list)
			reports.ask(ctx, client, c)
			return reports, nil
		}
	}
	reports.all = reports.all[:kept]
	return reports, nil
}

// ask asks each member that has not been asked yet.
func (l memberReports) ask(ctx context.Context, client *clientv3.Client, c host.EtcdConnection) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	sideBySide(len(l.all), func(i int) {
		r := &l.all[i]
		if r.status != nil || r.fault != "" {
			return
		}
		var asked fault.Group
		starts := false
		asked.Go(func() { starts = r.starts(ctx) })
		name := r.name
		if name == r.address {
			asked.Go(func() { name = cmp.Or(certificateName(ctx, r.peer()), certificateName(ctx, r.address), name) })
		}
		if r.answer = ask(ctx, client, c, r.address); r.status == nil && r.page.State == "" {
			r.readRevision(ctx, c)
		}
		asked.Wait()
		r.name, r.waits = name, starts && r.status == nil && r.page.State == ""
	})
}

// starts reports whether etcd answers its peers and accepts connections of clients.
func (r memberReport) starts(ctx context.Context) bool {
	return accepted(ctx, []string{r.address}) && greets(ctx, r.peer())
}

// peer is the address for other members.
func (r memberReport) peer() string {
	at, _, _ := net.SplitHostPort(r.address)
	return ports.At(at, ports.EtcdPeer)
}

// list replaces the members by those that one of them lists.
func (l *memberReports) list(members []*etcdserverpb.Member) {
	known := map[string]memberReport{}
	for _, r := range l.all {
		known[r.address] = r
	}
	l.all, l.listed = nil, true
	for _, m := range members {
		at, _, _ := net.SplitHostPort(hostPort(first(append(m.ClientURLs, m.PeerURLs...))))
		r := memberReport{address: hostPort(endpoint(at))}
		if was, is := known[r.address]; is {
			r = was
		}
		if r.page.Name != "" && m.Name != "" && r.page.Name != m.Name { // which got its address, and may be off itself
			r.answer = answer{fault: "does not answer: " + r.page.Name + " has its address"}
		}
		r.name, r.learner, r.had = called(m), m.IsLearner, started(m)
		l.all = append(l.all, r)
	}
	slices.SortFunc(l.all, func(a, b memberReport) int { return strings.Compare(a.name, b.name) })
}
