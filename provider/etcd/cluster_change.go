package etcd

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// tellChanges says what an update does to the cluster.
func (r *etcdRoll) tellChanges(ctx *pulumi.Context, last pulumi.Resource) error {
	members := pulumi.StringArray{}
	for _, m := range r.in.Args.Members {
		if m.Name != "" { // else it is not known yet
			members = append(members, pulumi.String(m.Name))
		}
	}
	return server.TellChanges(ctx, r.cluster, quorum.ClusterChangeArgs{Members: members, Service: pulumi.String(config.Service)},
		r.in.Settings(), server.Restarts{}, last, r.opts)
}
