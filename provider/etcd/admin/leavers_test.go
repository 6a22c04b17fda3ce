package admin

import (
	"context"
	"fmt"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// TestLeaversAreNotCountedOn has machines be deleted side by side: each may be alone,
// and both may not, since a third one is out.
func TestLeaversAreNotCountedOn(t *testing.T) {
	t.Parallel()
	v, requires := view{answers: map[string]answer{}}, Quorum
	a := HealthArgs{Require: &requires}
	for i := range 5 {
		name, ip := fmt.Sprintf("etcd-%d", i+1), fmt.Sprintf("127.0.0.%d", i+1)
		a.Members = append(a.Members, HealthMember{Name: name, IP: ip})
		v.list = append(v.list, &etcdserverpb.Member{ID: uint64(i + 1), Name: name, ClientURLs: []string{"https://" + endpoint(ip)}})
		v.answers[endpoint(ip)] = answer{}
	}
	v.answers[endpoint("127.0.0.1")] = answer{fault: "does not answer"}
	for _, leaves := range []string{"etcd-4", "etcd-5"} {
		a.Without = &leaves
		missing, err := a.next(t.Context(), v)
		require.NoError(t, err)
		assert.Empty(t, missing, leaves)
	}
	v.lose([]string{"etcd-4"})
	missing, err := a.next(t.Context(), v)
	require.NoError(t, err)
	assert.Equal(t, "the cluster needs 3 healthy members besides etcd-5, and has 2\netcd-1 does not answer\netcd-4 is being destroyed", missing)
}

// TestWhoLeaves has guards of members be deleted of which one left the program.
func TestWhoLeaves(t *testing.T) {
	t.Parallel()
	skips := true
	var gone []string
	q := running.Track(p.Provider{Delete: func(ctx context.Context, _ p.DeleteRequest) error {
		guard.Says(ctx, "main-plan", func(*HealthArgs) HealthArgs {
			return HealthArgs{SkipHealthChecks: &skips, Members: []HealthMember{{Name: "etcd-1"}, {Name: "etcd-2"}, {Name: "etcd-3"}, {Name: "etcd-5"}, {Name: "etcd-6"}}}
		})
		for _, member := range []string{"etcd-1", "etcd-4"} {
			_, err := Guard{}.Delete(ctx, infer.DeleteRequest[GuardState]{State: GuardState{GuardArgs{Gate: "main-plan", Member: member}}})
			require.NoError(t, err)
		}
		leaving, _ := running.Noted[*leavers](ctx, running.Beside(ctx, "main-plan"))
		gone = leaving.gone
		return nil
	}})
	require.NoError(t, q.Delete(t.Context(), p.DeleteRequest{}))
	assert.Equal(t, []string{"etcd-4"}, gone)
}
