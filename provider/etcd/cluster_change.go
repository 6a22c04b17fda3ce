package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// tellChanges says what an update does to the cluster.
func (r *etcdRoll) tellChanges(ctx *pulumi.Context, last pulumi.Resource) error {
	members := server.Names(r.in.Args.Members, func(m EtcdClusterMachine) string { return m.Name })
	return server.TellChanges(ctx, r.cluster, quorum.ClusterChangeArgs{Members: members, Service: pulumi.String(config.Service), External: r.in.Args.externalNames()},
		r.in.Settings(), server.Restarts{}, last, r.opts)
}
