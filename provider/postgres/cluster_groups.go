package postgres

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// group makes what the machines share on OpenStack: nodes with nodes, load
// balancers with load balancers.
func (r *postgresRoll) group(ctx *pulumi.Context) error {
	for _, list := range []struct {
		name     string
		machines []PostgresClusterMachine
		groups   *server.Groups
	}{{"nodes", r.in.Args.Nodes, &r.nodeGroups}, {"load-balancers", r.in.Args.LoadBalancers, &r.balancerGroups}} {
		var backends []server.Backend
		for _, m := range list.machines {
			if m.isExternal() {
				continue
			}
			backends = append(backends, m.backend())
		}
		if err := list.groups.ServerGroup(ctx, r.cluster+"-"+list.name, backends, r.opts); err != nil {
			return err
		}
	}
	return nil
}
