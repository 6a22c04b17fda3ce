package health

import (
	"crypto/x509"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Validate returns what is wrong with a, in field order.
func (a HealthArgs) Validate() []check.Problem {
	var l check.List
	l.Required("nodes", a.Nodes)
	names, addresses := make([]string, len(a.Nodes)), make([]string, len(a.Nodes))
	for i, n := range a.Nodes {
		names[i], addresses[i] = n.Name, n.address()
		l.Under(check.Index("nodes", i), n.Validate())
	}
	l.Distinct(check.Each("nodes", len(names), "name"), names)
	l.Distinct(check.Each("nodes", len(names), "ip"), addresses)
	if !*a.SkipHealthChecks { // for emergencies, as expired certificates
		l.Identity(time.Now(), check.PEM{Path: "caCert", Text: a.CACert}, check.PEM{Path: "clientCert", Text: a.ClientCert},
			check.PEM{Path: "clientKey", Text: a.ClientKey}, x509.ExtKeyUsageClientAuth)
	}
	l.Under("", a.checkSelection(names))
	if n := *a.SynchronousStandbys; n < 0 || n > 0 && n >= len(a.Nodes) {
		l.Add("synchronousStandbys", "must be less than the number of nodes (%d), and 0 or more, not %d", len(a.Nodes), n).Needing("nodes")
	}
	if *a.MaximumLag < 0 {
		l.Add("maximumLag", "must be 0 (bytes) or more, not %d", *a.MaximumLag)
	}
	for path, list := range map[string][]LoadBalancer{"loadBalancers": a.LoadBalancers, "otherLoadBalancers": a.OtherLoadBalancers} {
		for i, b := range list {
			l.Check(check.Index(path, i)+".endpoint", check.Endpoint(b.Endpoint))
			l.Check(check.Index(path, i)+".replicaEndpoint", check.Endpoint(b.ReplicaEndpoint))
		}
	}
	return l
}

// Validate returns what is wrong with n.
func (n Node) Validate() []check.Problem {
	var l check.List
	l.Required("name", n.Name)
	l.Check("ip", check.IP(n.IP))
	l.Check("apiPort", check.Port(*n.APIPort))
	return l
}

// checkSelection returns what is wrong with the inputs that say which nodes or load
// balancers a gate is about.
func (a HealthArgs) checkSelection(names []string) check.List {
	var l check.List
	known := func(path, name string) {
		if !slices.Contains(names, name) {
			l.Add(path, "must be the name of one of nodes (%s), not %s", strings.Join(names, ", "), check.Quote(name)).Needing("nodes")
		}
	}
	if a.Without != nil {
		known("without", *a.Without)
	}
	for i, name := range a.Candidates {
		known(check.Index("candidates", i), name)
	}
	if a.Candidates != nil && a.Without == nil {
		l.Add("candidates", "is only for a gate with without").Shape().Needing("without")
	}
	if a.Node != nil {
		known("node", *a.Node)
	}
	if a.Node != nil && a.Without != nil {
		l.Add("node", "must not be given together with without").Shape().Needing("without")
	}
	if a.LoadBalancers != nil && (a.Node != nil || a.Without != nil) {
		l.Add("loadBalancers", "is only for a gate of all nodes, without node and without").Shape().Needing("node", "without")
	}
	if a.OtherLoadBalancers != nil && (a.Node != nil || a.Without != nil) {
		l.Add("otherLoadBalancers", "must not be given together with node or without").Shape().Needing("node", "without")
	}
	if a.OtherLoadBalancers != nil && len(a.LoadBalancers) > 1 {
		l.Add("loadBalancers", "must have no more than the one that is about to change, together with otherLoadBalancers").Shape().Needing("otherLoadBalancers")
	}
	if ptr.Value(a.ApplyRestarts) && (a.Node != nil || a.isBefore() || a.Plan != nil) {
		l.Add("applyPendingRestarts", "is only for a gate of all nodes, without node, without, otherLoadBalancers and plan").
			Shape().Needing("node", "without", "otherLoadBalancers", "plan")
	}
	if a.Source != nil && (a.Plan == nil || a.StandbyOf == nil) {
		l.Add("source", "is only for a gate with plan and standbyOf").Shape().Needing("plan", "standbyOf")
	}
	if a.Source != nil && len(a.Source.Endpoints) > 0 && !ptr.Value(a.SkipHealthChecks) { // without them it has the password alone
		l.Under("source", a.Source.Validate(time.Now()))
	}
	if a.Upgrade != nil {
		l.Under("upgrade", a.Upgrade.validate())
		if a.Node != nil || a.isBefore() || a.Plan != nil || ptr.Value(a.ApplyRestarts) {
			l.Add("upgrade", "must not be given together with node, without, otherLoadBalancers, plan or applyPendingRestarts").
				Shape().Needing("node", "without", "otherLoadBalancers", "plan", "applyPendingRestarts")
		}
	}
	if a.SuperuserPassword != nil && (a.Plan != nil && !a.hasExternal() || a.OtherLoadBalancers != nil) {
		l.Add("superuserPassword", "must not be given together with otherLoadBalancers, nor with plan unless a node is external").Shape().Needing("plan", "otherLoadBalancers", "nodes")
	}
	if ptr.Value(a.ReindexCollations) && a.SuperuserPassword == nil {
		l.Add("reindexCollations", "needs superuserPassword").Shape().Needing("superuserPassword")
	}
	if a.UpgradeFrom != nil {
		if !ptr.Value(a.SkipHealthChecks) {
			l.Under("upgradeFrom.source", a.UpgradeFrom.Source.Validate(time.Now()))
			l.Under("upgradeFrom.target", a.UpgradeFrom.Target.Validate(time.Now()))
		}
		if a.Node != nil || a.isBefore() || ptr.Value(a.ApplyRestarts) || a.Upgrade != nil || a.StandbyOf != nil {
			l.Add("upgradeFrom", "must not be given together with node, without, otherLoadBalancers, applyPendingRestarts, upgrade or standbyOf").
				Shape().Needing("node", "without", "otherLoadBalancers", "applyPendingRestarts", "upgrade", "standbyOf")
		}
	}
	if a.Plan != nil && (a.Node != nil || a.Without != nil || a.LoadBalancers != nil) {
		l.Add("plan", "must not be given together with node, without or loadBalancers").Shape().Needing("node", "without", "loadBalancers")
	}
	return l
}
