package admin

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// begins refuses, before anything is made, that somebody else's machines serve at the addresses of the program.
func (a HealthArgs) begins(ctx context.Context) error {
	if !a.isFirst() || a.isShared() {
		return nil
	}
	at := slices.Index(Strange(ctx, a.ips()), true)
	if at < 0 {
		return nil
	}
	of := "etcd, or something else,"
	if !mayBelong(a.Etcd, endpoint(a.Members[at].IP)) {
		of = "something with a certificate of another authority"
	}
	return fmt.Errorf("%s: %s serves at %s already, on a machine that was not made here. If it is a member of a cluster that you want to take over, name all of its members with `external: true`, "+
		"and its authority with `ca`: see docs/taking-over-etcd.md. Otherwise give other addresses", a.Members[at].Name, of, endpoint(a.Members[at].IP))
}

// isFree refuses, before a machine is made, that another one is in its place.
func (a HealthArgs) isFree(ctx context.Context) error {
	for _, m := range a.Members {
		if m.Name == *a.Without {
			return MayMake(ctx, m)
		}
	}
	return nil
}

// MayMake refuses to make the machine of a member while another one answers at its address.
func MayMake(ctx context.Context, m HealthMember) error {
	if !wait.IsOthers(ctx, m.IP, speaks(ctx, endpoint(m.IP))) {
		return nil
	}
	return fmt.Errorf("%s: a machine that was not made here answers at %s. It no longer leads, and the other members have a quorum: shut it down and undefine it now, keep its disks, and run `pulumi up` again. "+
		"Or set `external: true`, and it stays", m.Name, m.IP)
}

// Strange reports at which addresses something serves on machines that were not made here.
func Strange(ctx context.Context, ips []string) []bool {
	strange := make([]bool, len(ips))
	sideBySide(len(ips), func(i int) {
		strange[i] = speaks(ctx, endpoint(ips[i])) && !wait.IsOurs(ctx, ips[i])
	})
	return strange
}

// speaks reports whether a server answers there, with TLS or without. That a connection is accepted is no sign
// of one: a machine that hangs accepts, too, and so may a firewall on the way.
func speaks(ctx context.Context, address string) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	_, err := certificateAt(ctx, address)
	var plain tls.RecordHeaderError
	var alert tls.AlertError
	return err == nil || errors.As(err, &plain) || errors.As(err, &alert)
}
