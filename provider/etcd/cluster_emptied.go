package etcd

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// emptied are the members whose data lie on something that this update makes.
type emptied struct {
	lock  sync.Mutex
	names []string
}

// add notes one more, and reports whether all of some others are noted.
func (e *emptied) add(name string, all []string) bool {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.names = append(e.names, name)
	return !slices.ContainsFunc(all, func(name string) bool { return !slices.Contains(e.names, name) })
}

// known is what the first gate says of the members.
type known struct {
	joined []string // of the program, that the cluster has
	left   []admin.HealthMember
}

// known is that, once the gate has passed.
func (h *etcdHealth) known() *atomic.Pointer[known] {
	seen := &atomic.Pointer[known]{}
	fault.Apply(pulumi.All(h.MemberIDs, h.Left), func(all []any) any {
		k := &known{}
		for name, id := range all[0].(map[string]string) {
			if id != "" {
				k.joined = append(k.joined, name)
			}
		}
		for _, m := range all[1].([]quorum.EtcdHealthMember) {
			k.left = append(k.left, admin.HealthMember{Name: m.Name, IP: m.Ip})
		}
		seen.Store(k)
		return nil
	})
	return seen
}

// emptiedBy is called before what the data of the i-th member lie on is made. A member
// without data founds a cluster when no other of the program has data: where that goes
// for all that are in the cluster, those that left the program may still hold it, and a
// second one would be founded beside it. A small cluster keeps the data of a member that serves.
func (r *etcdRoll) emptiedBy(ctx *pulumi.Context, i int, plan *etcdHealth) (*pulumi.ResourceHookBinding, error) {
	if !server.Hooks || ptr.Value(r.in.Args.SkipHealthChecks) {
		return nil, nil
	}
	seen := plan.known()
	etcd, name := r.knownConnection(), r.in.Args.Members[i].Name
	mayLose := len(r.in.Args.Members) == 1 && ptr.Value(r.in.Args.AllowDataLoss)
	hook, err := ctx.RegisterResourceHook(r.cluster+"-emptied-"+name, func(*pulumi.ResourceHookArgs) error {
		k, c := seen.Load(), etcd.Load()
		if c != nil && !mayLose {
			if err := fault.Do(func() error { return admin.MayEmpty(ctx.Context(), *c, name, r.members()) }); err != nil {
				return err
			}
		}
		if ctx.DryRun() || k == nil || c == nil || !slices.Contains(k.joined, name) || !r.emptied.add(name, k.joined) {
			return nil
		}
		return fault.Do(func() error { // hooks are called in goroutines of their own
			return admin.MayFound(ctx.Context(), *c, name, r.members(), k.left)
		})
	}, &pulumi.ResourceHookOptions{OnDryRun: true})
	return &pulumi.ResourceHookBinding{BeforeCreate: []*pulumi.ResourceHook{hook}}, err
}

// members are those of the program.
func (r *etcdRoll) members() (all []admin.HealthMember) {
	for _, m := range r.in.Args.Members {
		all = append(all, admin.HealthMember{Name: m.Name, IP: m.backend().IP()})
	}
	return all
}
