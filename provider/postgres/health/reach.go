package health

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// balancersBefore are the endpoints of the load balancers that a gate had in the update before:
// its state has none.
type balancersBefore []string

// noteBalancers notes them for the update.
func noteBalancers(ctx context.Context, req p.DiffRequest) {
	run.Note(ctx, run.Beside(ctx, req.Urn.Name()), func(now *balancersBefore) { *now = endpointsIn(req.OldInputs.Get("loadBalancers")) })
}

func endpointsIn(balancers property.Value) (all []string) {
	if balancers.IsArray() {
		for _, b := range balancers.AsArray().All {
			if b.IsMap() {
				all = append(all, guard.Text(b.AsMap().Get("endpoint")))
			}
		}
	}
	return all
}

// tellHowToReach says it once the cluster is founded, or is reached elsewhere.
func (g *gate) tellHowToReach(ctx context.Context, id string, now HealthState) {
	if !strings.HasSuffix(id, lastGate) { // those between load balancers have one of them
		return
	}
	before, _ := run.Noted[balancersBefore](ctx, run.Beside(ctx, id))
	if text := g.howToReach(now, before); text != "" {
		p.GetLogger(ctx).Info(text)
	}
}

// howToReach is how to connect to a cluster whose last gate has passed, or "" where that was
// said before. It names outputs of the cluster, and has no secret.
func (g *gate) howToReach(now HealthState, before []string) string {
	var endpoints []string
	for _, b := range g.LoadBalancers {
		endpoints = append(endpoints, b.Endpoint)
	}
	were := func(all []Node) (ips []string) {
		for _, n := range all {
			ips = append(ips, n.IP)
		}
		return ips
	}
	isNew := len(g.old.Nodes) == 0 || g.old.SystemID != now.SystemID || !check.SameTexts(endpoints, before)
	if len(endpoints) == 0 {
		isNew = isNew || !check.SameTexts(were(g.Nodes), were(g.old.Nodes))
	}
	if !g.isOfAll() || g.Plan != nil || now.SystemID == "" || !isNew {
		return ""
	}
	hosts, numbers, only := were(g.Nodes), []string{strconv.Itoa(ports.Postgres)}, " target_session_attrs=read-write"
	text := "There is no load balancer: the first of the nodes that leads is taken."
	if len(endpoints) > 0 {
		hosts, numbers, only = nil, nil, ""
		for _, at := range endpoints {
			ip, number, _ := net.SplitHostPort(at)
			hosts, numbers = append(hosts, ip), append(numbers, number)
		}
		if len(slices.Compact(slices.Clone(numbers))) == 1 { // libpq takes one for all
			numbers = numbers[:1]
		}
		text = "For reads from a standby: port " + replicaPort(g.LoadBalancers) + "."
	}
	return "How to reach the cluster:\n" +
		`  psql "host=` + strings.Join(hosts, ",") + " port=" + strings.Join(numbers, ",") + " user=USER dbname=DATABASE" + only + ` sslmode=verify-full sslrootcert=ca.crt"` + "\n" +
		text + " ca.crt is the output caCert of the cluster, and the password of postgres its output superuserPassword: `pulumi stack output NAME --show-secrets`, where the program has them as outputs of the stack. " +
		"Who may log in, and from where, is postgres.access."
}

// replicaPort is that of the first load balancer.
func replicaPort(all []LoadBalancer) string {
	_, port, _ := net.SplitHostPort(all[0].ReplicaEndpoint)
	return port
}
