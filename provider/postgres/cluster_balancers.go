package postgres

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// rollBalancers makes the load balancers one after the other, after what comes
// before them, and then the last gate. The one that the program has last has no
// gate of its own after it.
func (r *postgresRoll) rollBalancers(ctx *pulumi.Context, plan *postgresHealth, done rolled) (*postgresHealth, error) {
	for _, i := range r.balancerOrder(ctx) {
		balancer, err := r.changeBalancer(ctx, i, plan, done.last)
		if err != nil {
			return nil, err
		}
		if done.add(balancer.last...); i == len(r.in.Args.LoadBalancers)-1 {
			continue
		}
		name := r.in.Args.LoadBalancers[i].Name
		gate, err := r.gate(ctx, name, quorum.PostgresHealthArgs{ // others may be yet to be made
			LoadBalancers: append(r.moves(), r.made(i)), SynchronousStandbys: r.standbys(),
			Triggers: pulumi.StringMap{"machine": balancer.MachineID},
		}, balancer.last...)
		if err != nil {
			return nil, err
		}
		done.add(gate)
	}
	if err := r.fill(ctx, &done); err != nil {
		return nil, err
	}
	all := r.moves()
	for i := range r.in.Args.LoadBalancers {
		all = append(all, r.made(i))
	}
	return r.gate(ctx, healthy, quorum.PostgresHealthArgs{
		LoadBalancers: all, SynchronousStandbys: r.standbys(), Triggers: r.triggers(), BackupStanza: r.stanza(), BackupId: r.backupID(), EncryptionKeyGiven: server.IsGiven(r.in.String("backup.encryptionKey")),
	}, done.all...)
}

// balancerOrder has those load balancers first that lead nowhere while another
// does. A preview asks nobody, and takes them as the program has them.
func (r *postgresRoll) balancerOrder(ctx *pulumi.Context) (order []int) {
	var endpoints []string
	for i, b := range r.in.Args.LoadBalancers {
		if r.isMade("loadBalancers", i) {
			order = append(order, i)
		}
		endpoints = append(endpoints, ports.At(b.backend().IP(), ports.Postgres))
	}
	if skip := r.in.Args.SkipHealthChecks; ctx.DryRun() || !server.Hooks || skip != nil && *skip {
		return order
	}
	away := health.Away(ctx.Context(), endpoints)
	slices.SortStableFunc(order, func(a, b int) int { return last(away[a]) - last(away[b]) })
	return order
}

// last ranks what is away before what is not.
func last(away bool) int {
	if away {
		return 0
	}
	return 1
}

// changeBalancer makes the i-th load balancer, when what is before it is done and another
// one leads to the nodes.
func (r *postgresRoll) changeBalancer(ctx *pulumi.Context, i int, plan *postgresHealth, before []pulumi.Output) (*PostgresLoadBalancer, error) {
	name := r.in.Args.LoadBalancers[i].Name
	planned, err := loadBalancerRole.Plan(ctx, r.cluster+"-"+name, &PostgresLoadBalancer{}, r.loadBalancer(i), nil, r.opts)
	if err != nil {
		return nil, err
	}
	gate := plan
	if others := r.others(i); len(others) > 0 {
		gate, err = r.gate(ctx, "without-"+name, quorum.PostgresHealthArgs{
			LoadBalancers: quorum.PostgresHealthLoadBalancerArray{r.serves(i)}, OtherLoadBalancers: others,
			Triggers: pulumi.StringMap{"rebuilds": server.TextAfter(ctx, before, planned.Rebuilds), "restarts": planned.Restarts(haproxy.Service)},
		}, plan)
		if err != nil {
			return nil, err
		}
	} else {
		planned.Name = server.TextAfter(ctx, before, planned.Name)
	}
	planned.Cluster = r.cluster
	made, err := planned.Make(ctx, gate)
	if err != nil {
		return nil, err
	}
	r.machines[name], r.generations[name] = made.MachineID, made.Generation
	return made, nil
}

// others are the load balancers but for the i-th.
func (r *postgresRoll) others(i int) (all quorum.PostgresHealthLoadBalancerArray) {
	for j := range r.in.Args.LoadBalancers {
		if j != i {
			all = append(all, r.serves(j))
		}
	}
	return all
}

// serves is where the i-th load balancer does.
func (r *postgresRoll) serves(i int) quorum.PostgresHealthLoadBalancerArgs {
	ip := r.balancerIP(i)
	serves := quorum.PostgresHealthLoadBalancerArgs{
		Endpoint: server.Endpoint(ip, ports.Postgres), ReplicaEndpoint: server.Endpoint(ip, ports.PostgresReplica),
	}
	if r.in.Args.LoadBalancers[i].isExternal() {
		serves.External = pulumi.Bool(true)
	}
	return serves
}

// made is the same of one that is made, with what it must have in force.
func (r *postgresRoll) made(i int) quorum.PostgresHealthLoadBalancerArgs {
	serves := r.serves(i)
	if generation, has := r.generations[r.in.Args.LoadBalancers[i].Name]; has {
		serves.Generation = generation.ToStringOutput()
	}
	return serves
}
