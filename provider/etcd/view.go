package etcd

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
)

const (
	clientPort = "2379"
	peerPort   = "2380"
)

// view is a cluster as a quorum of it sees itself, and each member as it sees
// itself.
type view struct {
	client *clientv3.Client
	list   []*etcdserverpb.Member
	id     uint64
}

// look asks the cluster who its members are. It fails without a quorum, which
// has to confirm the answer.
func look(ctx context.Context, client *clientv3.Client) (view, error) {
	answer, err := client.MemberList(ctx)
	if err != nil {
		return view{}, err
	}
	return view{client, answer.Members, answer.Header.ClusterId}, nil
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
		if slices.Contains(m.PeerURLs, peerURL(ip)) {
			return m
		}
	}
	return nil
}

// started tells whether a member has ever served: it says so in the cluster's
// own list.
func started(m *etcdserverpb.Member) bool { return len(m.ClientURLs) > 0 }

// status is what the member at an address says of itself: what is wrong with it, or "".
func (v view) status(ctx context.Context, address string) (s *clientv3.StatusResponse, wrong string) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	s, err := v.client.Status(ctx, address)
	switch {
	case err != nil:
		return nil, "does not answer: " + reason(err)
	case s.Header.ClusterId != v.id:
		return s, fmt.Sprintf("is of another cluster, %x, not %x", s.Header.ClusterId, v.id)
	case s.Leader == 0:
		return s, "sees no leader"
	case len(s.Errors) > 0:
		return s, "reports " + strings.Join(s.Errors, ", ")
	}
	return s, ""
}

// wrong is what keeps a member from being a healthy one that votes, or "".
func (v view) wrong(ctx context.Context, name, ip string) string {
	m := v.find(name, ip)
	if m == nil {
		return "is not a member"
	}
	_, wrong := v.status(ctx, endpoint(ip))
	if wrong == "" && m.IsLearner {
		wrong = "is a learner that does not vote yet"
	}
	return wrong
}

// founded tells whether there is a cluster to join: a quorum that answers, also
// with a refusal. Machines that are being made do not even accept connections.
func founded(ctx context.Context, c host.EtcdConnection) bool {
	if !accepted(ctx, c.Endpoints) {
		return false
	}
	err := With(ctx, c, func(ctx context.Context, client *clientv3.Client) error {
		_, err := look(ctx, client)
		return err
	})
	return err == nil || isAnswer(err, askedLearner) || refused(err)
}

// accepted tells whether somebody listens at one of the endpoints.
func accepted(ctx context.Context, endpoints []string) bool {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	listens := make(chan bool, len(endpoints))
	for _, address := range endpoints {
		go func() {
			connection, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
			if err == nil {
				connection.Close()
			}
			listens <- err == nil
		}()
	}
	for range endpoints {
		if <-listens {
			return true
		}
	}
	return false
}

// quorum is how many of n members must agree.
func quorum(n int) int { return n/2 + 1 }

// tolerated is how many of n members may be away.
func tolerated(n int) int { return n - quorum(n) }

func endpoint(ip string) string { return net.JoinHostPort(ip, clientPort) }
func peerURL(ip string) string  { return "https://" + net.JoinHostPort(ip, peerPort) }

// refused are answers of a cluster that does not take us for root.
func refused(err error) bool {
	return isAnswer(err, rpctypes.ErrAuthFailed) || isAnswer(err, rpctypes.ErrPermissionDenied)
}

// asRoot calls do with a client of the cluster: by c or, where the machines are
// yet to learn of another password, by the connection that was before.
func asRoot(ctx context.Context, c host.EtcdConnection, before *host.EtcdConnection, do func(context.Context, *clientv3.Client) error) error {
	err := With(ctx, c, do)
	if refused(err) && before != nil {
		err = With(ctx, *before, do)
	}
	return err
}

// notNow are answers of etcd that another try may not get.
func notNow(err error) bool {
	for _, passing := range []error{
		rpctypes.ErrUnhealthy, rpctypes.ErrMemberNotEnoughStarted, rpctypes.ErrMemberLearnerNotReady, rpctypes.ErrTooManyLearners,
		rpctypes.ErrNoLeader, rpctypes.ErrLeaderChanged, rpctypes.ErrTimeout, rpctypes.ErrTimeoutDueToLeaderFail,
		rpctypes.ErrTimeoutDueToConnectionLost, rpctypes.ErrStopped, rpctypes.ErrNotLeader, rpctypes.ErrTimeoutWaitAppliedIndex, askedLearner,
	} {
		if isAnswer(err, passing) {
			return true
		}
	}
	return Unreachable(err)
}

// askedLearner is the answer of a member that does not vote yet. Another try
// asks another one.
var askedLearner = rpctypes.Error(rpctypes.ErrGRPCNotSupportedForLearner)

func isAnswer(err, answer error) bool {
	return err != nil && rpctypes.Error(err).Error() == answer.Error()
}

// first is the address at which a member serves, which one that never started
// has not said.
func first(urls []string) string {
	if len(urls) == 0 {
		return ""
	}
	return urls[0]
}
