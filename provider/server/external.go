package server

import (
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// AboutExternal describes the input of a machine of a cluster.
const AboutExternal = "Whether this is somebody else's machine, made by Terraform or by hand: it is in the cluster, and nothing of it is made or changed. Its address is that of its `libvirt` or `openstack`, or `ip` alone. Without `external` an update makes the machine: see docs/taking-over-etcd.md and docs/taking-over-postgres.md."

// ExternalNames are those of somebody else's machines, or nothing: most programs have none.
func ExternalNames[M any](machines []M, isExternal func(M) bool, name func(M) string) pulumi.StringArray {
	others := slices.DeleteFunc(slices.Clone(machines), func(m M) bool { return !isExternal(m) })
	if len(others) == 0 {
		return nil
	}
	return Names(others, name)
}

// IfTrue is absent otherwise.
func IfTrue(is bool) pulumi.BoolPtrInput {
	if !is {
		return nil
	}
	return pulumi.Bool(true)
}

// Elsewhere is where an external machine runs: as its backend says, or only by its address.
func (b Backend) Elsewhere(external *bool, ip *string) Backend {
	if ptr.Value(external) && len(b.IPs()) == 0 {
		return Backend{At: ptr.Value(ip)}
	}
	return b
}

// IsMade reports whether the backend says how a machine is made, and not only where somebody else's is.
func (b Backend) IsMade() bool { return b.chosen() != nil }

// ValidateExternal is what is wrong with a machine of which no backend says anything.
func (b Backend) ValidateExternal(name string) check.List {
	var l check.List
	l.Check("name", check.HostName(name))
	if b.At == "" {
		l.Add("ip", "is required with external: the address of the machine, here or in libvirt or openstack").Shape()
	} else {
		l.Check("ip", check.HostIP(b.At))
	}
	return l
}
