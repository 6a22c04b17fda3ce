package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// listing bounds how long a cluster may take to list its members.
const listing = 3 * time.Second

// view is what a quorum reports of the cluster, and each member of itself.
type view struct {
	client   *clientv3.Client
	list     []*etcdserverpb.Member
	id       uint64
	revision int64
	identity *string           // nil where it may not be read
	answers  map[string]answer // by address
}

// look asks the cluster for its members, and then all of these, and those at
// some further addresses, for their status. It fails without a quorum, which
// has to confirm the answer. It takes five seconds at most, also if members do
// not answer.
func look(ctx context.Context, client *clientv3.Client, c host.EtcdConnection, ips ...string) (view, error) {
	v, err := list(ctx, client)
	if err != nil {
		return v, err
	}
	var addresses []string
	for _, ip := range ips {
		addresses = append(addresses, hostPort(endpoint(ip)))
	}
	for _, m := range v.list {
		for _, u := range m.ClientURLs {
			addresses = append(addresses, hostPort(u))
		}
	}
	v.answers = askAll(ctx, client, c, addresses)
	for address, a := range v.answers {
		if a.status != nil && a.status.Header.ClusterId != v.id {
			a.fault = fmt.Sprintf("belongs to another cluster, %x, not %x", a.status.Header.ClusterId, v.id)
			v.answers[address] = a
		}
		if a.status != nil {
			v.revision = max(v.revision, a.status.Header.Revision)
		}
	}
	return v, nil
}

const corrupt = "CORRUPT" // the alarm of a member whose data differ from those of the others

// list asks the cluster for its members, and not these for their status.
func list(ctx context.Context, client *clientv3.Client) (view, error) {
	ctx, cancel := context.WithTimeout(ctx, listing)
	defer cancel()
	is, err := identity(ctx, client)
	if err != nil {
		return view{}, err
	}
	answer, err := client.MemberList(ctx)
	if err != nil {
		return view{}, err
	}
	return view{client: client, list: answer.Members, id: answer.Header.ClusterId, identity: is}, nil
}

// find is the member of that name, or else the one of that address: one that
// has never started has no name.
func (v view) find(name, ip string) *etcdserverpb.Member {
	for _, m := range v.list {
		if m.Name == name {
			return m
		}
	}
	for _, m := range v.list {
		if hasPeer(m, ip) {
			return m
		}
	}
	return nil
}

func hasPeer(m *etcdserverpb.Member, ip string) bool {
	return slices.ContainsFunc(m.PeerURLs, func(url string) bool { return hostPort(url) == hostPort(peerURL(ip)) })
}

// started reports whether a member has ever served, as the cluster's list says.
func started(m *etcdserverpb.Member) bool { return len(m.ClientURLs) > 0 }

// at is what the member at ip said.
func (v view) at(ip string) answer { return v.answers[hostPort(endpoint(ip))] }

// of is what a member of the list said, at any of its addresses.
func (v view) of(m *etcdserverpb.Member) answer {
	a := answer{fault: "has not started yet"}
	for i, url := range m.ClientURLs {
		if now, asked := v.answers[hostPort(url)]; asked && (i == 0 || now.fault == "") {
			a = now
		}
	}
	if a.fault == "" && slices.Contains(a.alarms, alarm{m.ID, corrupt}) {
		a.fault = "has raised alarm CORRUPT: its data differ from those of the others"
	}
	return a
}

// wrong is what keeps a member from being a healthy one that votes, or "".
func (v view) wrong(name, ip string) string {
	m := v.find(name, ip)
	if m == nil {
		return "is not a member"
	}
	a := v.at(ip)
	switch {
	case a.fault != "":
		return a.fault
	case slices.Contains(a.alarms, alarm{m.ID, corrupt}):
		return corrupted([]string{called(m)})
	case m.IsLearner:
		return "is a learner that does not vote yet"
	}
	return ""
}

// quorum is how many of n members must agree.
func quorum(n int) int { return n/2 + 1 }

// tolerated is how many of n members may be unavailable.
func tolerated(n int) int { return n - quorum(n) }

func endpoint(ip string) string { return ports.At(ip, ports.EtcdClient) }

func peerURL(ip string) string { return "https://" + ports.At(ip, ports.EtcdPeer) }
