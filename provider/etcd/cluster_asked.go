package etcd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// asked has the cluster asked before the machine of the i-th member is changed
// in place, which may restart etcd there: also when the gate before it passed in
// an earlier update that came no further. A member that does not answer may change. And none is made
// while another machine is in its place.
func (r *etcdRoll) asked(ctx *pulumi.Context, i int, plan *etcdHealth) (*pulumi.ResourceHookBinding, error) {
	if !server.Hooks || ptr.Value(r.in.Args.SkipHealthChecks) {
		return nil, nil
	}
	known := r.knownConnection()
	most := cmp.Or(server.Limit(server.Timeouts(r.opts).Update), admin.GuardLimit)
	name, members := r.in.Args.Members[i].Name, r.members()
	hook, err := ctx.RegisterResourceHook(r.cluster+"-without-"+name, func(args *pulumi.ResourceHookArgs) error {
		etcd := known.Load()
		if etcd == nil {
			return fmt.Errorf("the check whether the other members have a quorum without %s cannot be made: their endpoints are not known yet", name)
		}
		bounded, cancel := context.WithTimeout(ctx.Context(), most)
		defer cancel()
		return fault.Do(func() error { // hooks are called in goroutines of their own
			return admin.MayRestart(bounded, *etcd, members, name, server.IsOff(args), func(missing string) {
				_ = ctx.Log.Info("waiting: "+missing, &pulumi.LogArgs{Ephemeral: true})
			})
		})
	}, nil)
	if err != nil {
		return nil, err
	}
	seen := plan.known()
	free, err := ctx.RegisterResourceHook(r.cluster+"-free-"+name, func(*pulumi.ResourceHookArgs) error {
		if k := seen.Load(); k == nil || !slices.Contains(k.joined, name) {
			return nil // there can be no other machine in its place: the first gate has looked
		}
		return fault.Do(func() error { return admin.MayMake(ctx.Context(), members[i]) })
	}, nil)
	return &pulumi.ResourceHookBinding{BeforeUpdate: []*pulumi.ResourceHook{hook}, BeforeCreate: []*pulumi.ResourceHook{free}}, err
}

// knownConnection is how to reach the cluster, once that is known.
func (r *etcdRoll) knownConnection() *atomic.Pointer[host.EtcdConnection] {
	known := &atomic.Pointer[host.EtcdConnection]{}
	fault.Apply(r.connection().ToEtcdConnectionOutput(), func(c quorum.EtcdConnection) any {
		known.Store(&host.EtcdConnection{
			Endpoints: c.Endpoints, CACert: c.CaCert, ClientCert: c.ClientCert, ClientKey: c.ClientKey, Username: c.Username, Password: c.Password,
		})
		return nil
	})
	return known
}
