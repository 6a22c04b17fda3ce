package provider

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/etcd"
)

// Validate returns what is wrong with a.
func (a EtcdClusterArgs) Validate() []check.Problem { return a.validate(time.Now()) }

func (a EtcdClusterArgs) validate(now time.Time) check.List {
	var l check.List
	if len(a.Members) == 0 {
		l.Add("members", "must have a member at least").Shape()
	}
	for i := range a.Members {
		l = append(l, a.ofMember(i, now)...)
	}
	var names []string
	var owned [][]check.Owned
	for i, m := range a.Members {
		names, owned = append(names, m.Name), append(owned, m.site().owned(check.Index("members", i)))
	}
	l.Distinct(check.Each("members", len(names), "name"), names)
	l.Apart(owned)
	l.Under("", takesQuota(a.Etcd.WithDefaults(), check.Each("members", len(a.Members), ""), a.sites()...))
	l.Under("", validateTrust(a.TrustedCACerts))
	l.Under("", a.recoverable())
	if a.SecurityGroups != nil {
		l.Under("securityGroups", a.SecurityGroups.Validate())
		if !slices.ContainsFunc(a.Members, func(m EtcdClusterMachine) bool { return m.site().takesGroups() }) {
			l.Add("securityGroups", "must have a member for which a port is made, and which has no securityGroupIds").Shape().
				Needing(check.Each("members", len(a.Members), "openstack.networkPort.networkId")...).
				Needing(check.Each("members", len(a.Members), "openstack.networkPort.securityGroupIds")...)
		}
	}
	if a.CA != nil {
		l.Under("ca", a.CA.validate(now))
	}
	if a.Certificate != nil {
		l.Under("certificate", a.Certificate.validate())
	}
	return l
}

// ofMember is what is wrong with the i-th member, by the names of the
// cluster's inputs. What all members share is looked at with the first.
func (a EtcdClusterArgs) ofMember(i int, now time.Time) (problems check.List) {
	s := a.server(i)
	if s.Auth != nil && !a.certAuth() && s.Auth.RootPassword == nil {
		made := "made"
		s.Auth.RootPassword = &made
	}
	all := s.host().validate(now, []string{etcdArchive}, etcdLogs)
	all = append(all, s.site().blames(s.member().Validate())...)
	all.Under("", s.oneRelease())
	if len(all) == 0 {
		all.Under("", s.host().fits(nil, s.state))
	}
	for _, problem := range all {
		own, here := renamed(problem.Path, i)
		for j, path := range problem.Needs {
			problem.Needs[j], _ = renamed(path, i)
		}
		problem.Path = own
		if (here || i == 0) && !strings.HasPrefix(own, "cluster.") { // those are the members themselves
			problems = append(problems, problem)
		}
	}
	return problems
}

// renamed is the path of a cluster's input for that of its i-th member, and
// whether the member alone has it.
func renamed(path string, i int) (own string, here bool) {
	for _, mine := range []string{"name", "libvirt", "openstack"} {
		if check.Within(path, mine) {
			return fmt.Sprintf("members[%d].%s", i, path), true
		}
	}
	switch path {
	case "cluster.initialToken":
		return "initialToken", false
	case "auth.rootPassword":
		return "rootPassword", false
	}
	return path, false
}

func (a EtcdClusterArgs) certAuth() bool { return *a.Etcd.WithDefaults().ClientCertAuth }

// warnings are what is allowed, and seldom meant.
func (a EtcdClusterArgs) warnings() (all []string) {
	switch n := len(a.Members); {
	case n == 1:
		all = append(all, "a cluster of one member is away whenever that changes")
	case n%2 == 0:
		all = append(all, fmt.Sprintf("a cluster of %d members does without no more of them than one of %d", n, n-1))
	}
	if value(a.AllowDataLoss) && len(a.Members) == 1 {
		all = append(all, "allowDataLoss is on: an update that finds the only member without its data goes on. Take it out after the update that it is for")
	}
	if a.Etcd != nil && a.Etcd.Version != nil && value(a.Etcd.GRPCGatewayEnabled) && etcd.LoginSeesMembers(*a.Etcd.Version) {
		all = append(all, fmt.Sprintf("etcd %s denies Patroni what it asks with a password, unless Patroni is new enough: https://github.com/patroni/patroni/issues/3580", *a.Etcd.Version))
	}
	return all
}
