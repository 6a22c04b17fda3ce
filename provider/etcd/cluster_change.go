package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// tellChanges says what an update does to the cluster.
func (r *etcdRoll) tellChanges(ctx *pulumi.Context, last pulumi.Resource) error {
	name := func(m EtcdClusterMachine) string { return m.Name }
	members, external := server.Names(r.in.Args.Members, name), server.ExternalNames(r.in.Args.Members, EtcdClusterMachine.isExternal, name)
	return server.TellChanges(ctx, r.cluster, quorum.ClusterChangeArgs{Members: members, Service: pulumi.String(config.Service), External: external},
		r.in.Settings(), server.Restarts{}, last, r.opts)
}
