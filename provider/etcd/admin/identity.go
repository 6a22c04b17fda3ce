package admin

import (
	"context"
	"crypto/rand"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// identityKey distinguishes a cluster from an empty one that the same members
// founded again: that has the same id, and soon a revision as high as at the
// last update.
const identityKey = "quorum/identity"

// identity is the value of the key, or "", and nil if it may not be read.
// Reading it takes a quorum; listing the members takes none up to etcd 3.4.
func identity(ctx context.Context, client *clientv3.Client) (*string, error) {
	answer, err := client.Get(ctx, identityKey)
	if isAnswer(err, rpctypes.ErrPermissionDenied) || isAnswer(err, rpctypes.ErrCorrupt) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	is := ""
	for _, kv := range answer.Kvs {
		is = string(kv.Value)
	}
	return &is, nil
}

// identify gives the cluster an identity, unless it has one.
func (v view) identify(ctx context.Context, s *HealthState) (missing string, err error) {
	is := rand.Text()
	answer, err := v.client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(identityKey), "=", 0)).
		Then(clientv3.OpPut(identityKey, is)).
		Else(clientv3.OpGet(identityKey)).Commit()
	switch {
	case isAnswer(err, rpctypes.ErrNoSpace): // the next update does it
		return "", nil
	case err != nil:
		return later("", err)
	case !answer.Succeeded:
		is = string(answer.Responses[0].GetResponseRange().Kvs[0].Value)
	}
	s.Identity = is
	return "", nil
}

// sameCluster refuses another cluster in place of the former one.
func (a HealthArgs) sameCluster(v view, before *HealthState) error {
	if before == nil || before.ClusterID == "" || a.takesAnother(before.HealthArgs) {
		return nil
	}
	const cure = "If that is what you want, as after a restore, `skipHealthChecks: true` for one `pulumi up` takes the cluster as it is"
	if id := fmt.Sprintf("%x", v.id); id != before.ClusterID {
		return fmt.Errorf("this is another cluster: its id is %s, and was %s. %s", id, before.ClusterID, cure)
	}
	if v.revision > 0 && int(v.revision) < before.Revision {
		return fmt.Errorf("this cluster has lost data: it is at revision %d, and was at %d before. It may have been re-created, empty. %s", v.revision, before.Revision, cure)
	}
	if was := before.Identity; was != "" && v.identity != nil && *v.identity != was {
		return fmt.Errorf("this cluster has lost data: its key %s is %q, and was %q before. It may have been re-created, empty. %s", identityKey, *v.identity, was, cure)
	}
	return nil
}

// takesAnother reports whether another cluster than before may be there from
// now on, also for a gate that does not wait.
func (a HealthArgs) takesAnother(before HealthArgs) bool {
	return ptr.Value(a.SkipHealthChecks) || a.recovers(before) && isRestoration(a.Recovery) || ptr.Value(a.AllowDataLoss) && len(a.Members) == 1 && len(before.Members) == 1
}

// forget makes the next update accept any cluster.
func (s *HealthState) forget() { s.ClusterID, s.Revision, s.Identity = "", 0, "" }
