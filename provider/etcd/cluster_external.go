package etcd

import (
	"slices"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

func (m EtcdClusterMachine) isExternal() bool { return ptr.Value(m.External) }

// isShared reports whether some of the members are somebody else's: the cluster is one that is
// there, and its authentication, users and passwords stay as they are.
func (a EtcdClusterArgs) isShared() bool {
	return slices.ContainsFunc(a.Members, EtcdClusterMachine.isExternal)
}

// own are the places of the members whose machines are made.
func (a EtcdClusterArgs) own() (all []int) {
	for i, m := range a.Members {
		if !m.isExternal() {
			all = append(all, i)
		}
	}
	return all
}

// isMade reports whether the machine of the i-th member is made, and can be planned.
func (r *etcdRoll) isMade(i int) bool {
	m := r.in.Args.Members[i]
	return !m.isExternal() && m.backend().IsMade() && server.IsNamed(r.in, check.Index("members", i))
}

// enablesAuth is absent in most programs: what they say of the cluster stays as it was.
func (r *etcdRoll) enablesAuth() pulumi.BoolPtrInput {
	return server.IfTrue(ptr.Value(r.in.Args.EnableAuth))
}

// isShared is absent, too.
func (r *etcdRoll) isShared() pulumi.BoolPtrInput { return server.IfTrue(r.in.Args.isShared()) }

// validateExternal requires what cannot be made for a cluster that is there.
func (a EtcdClusterArgs) validateExternal(now time.Time) check.List {
	var l check.List
	for i, m := range a.Members {
		if !m.isExternal() {
			continue
		}
		if m.backend().IsMade() {
			l.Once(a.ofMember(i, now))
		} else {
			l.Under(check.Index("members", i), m.backend().ValidateExternal(m.Name))
		}
	}
	if !a.isShared() {
		return l
	}
	const there = "while a member is external: the cluster is there already, and "
	if a.CA == nil && a.TLS == nil {
		l.Add("ca", "must be given %sits members trust its own authority. Without the authority's key, give `tls`", there).Shape().Needing("members", "tls")
	}
	if !a.certAuth() && a.RootPassword == nil {
		l.Add("rootPassword", "must be given %sits root has a password. With certificates it is `etcd.clientCertAuth: true`, which is the default", there).Shape().Needing("members", "etcd.clientCertAuth")
	}
	for _, input := range []struct {
		name  string
		given bool
	}{{"skipHealthChecks", ptr.Value(a.SkipHealthChecks)}, {"backup", a.Backup != nil}, {"restore", a.Restore != nil}, {"recoverFrom", a.RecoverFrom != nil}} {
		if input.given {
			l.Add(input.name, "must not be given %sit is for clusters whose machines are all made here", there).Shape().Needing("members")
		}
	}
	return l
}
