package admin

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestLearnerOfAnotherRelease has a learner answer before the cluster's own list
// says where it serves: its release counts all the same.
func TestLearnerOfAnotherRelease(t *testing.T) {
	t.Parallel()
	runs := func(version string) answer {
		return answer{status: &clientv3.StatusResponse{Header: &etcdserverpb.ResponseHeader{}, Version: version}}
	}
	const one, four = "127.0.0.1", "127.0.0.4"
	v := view{
		list: []*etcdserverpb.Member{
			{ID: 1, Name: "etcd-1", PeerURLs: []string{peerURL(one)}, ClientURLs: []string{"https://" + endpoint(one)}},
			{ID: 4, PeerURLs: []string{peerURL(four)}, IsLearner: true},
		},
		answers: map[string]answer{endpoint(one): runs("3.5.16"), endpoint(four): runs("3.6.11")},
	}
	_, err := v.bringIn(t.Context(), MemberArgs{Name: "etcd-4", IP: four})
	require.ErrorContains(t, err, "it runs etcd 3.6.11, and etcd-1 runs 3.5.16: ")
}
