package admin

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// leftBy are the members that were removed from the program, in this update or an earlier
// one, and may still run: an update removes them from the cluster and deletes their machines
// last, and may have failed before that. While one answers, it refuses, also in a preview,
// that another member gets its address.
func (a HealthArgs) leftBy(ctx context.Context, before HealthState) (left []HealthMember, err error) {
	if *a.Require != Quorum || a.Without != nil {
		return nil, nil
	}
	for _, m := range before.Members {
		if !slices.Contains(a.names(), m.Name) {
			left = append(left, HealthMember{Name: m.Name, IP: m.IP})
		}
	}
	for _, m := range before.Left {
		at := slices.Index(a.ips(), m.IP)
		switch {
		case slices.Contains(a.names(), m.Name):
		case at < 0:
			left = append(left, m)
		case !ptr.Value(a.SkipHealthChecks) && m.answers(ctx):
			return nil, fmt.Errorf("%s.ip: must not be %s, the address of %s: that one was removed from the program, but its machine still answers. Give %s another address, or first run an update without it, which deletes that machine",
				check.Index("members", at), m.IP, m.Name, a.Members[at].Name)
		}
	}
	return left, nil
}

// answers reports whether there is a machine, with or without etcd.
func (m HealthMember) answers(ctx context.Context) bool {
	return accepted(ctx, []string{endpoint(m.IP), wait.Exporter(m.IP)})
}

// stillLeft are those of the removed members that are still in the cluster, or whose machines
// answer; leftAt is the new LeftAt of the state: 0 if none is in the cluster.
func (v view) stillLeft(ctx context.Context, s HealthState) (still []HealthMember, leftAt int) {
	there := make([]bool, len(s.Left))
	sideBySide(len(there), func(i int) {
		there[i] = v.find(s.Left[i].Name, s.Left[i].IP) != nil || s.Left[i].answers(ctx)
	})
	for i, m := range s.Left {
		if there[i] {
			still = append(still, m)
		}
		if v.find(m.Name, m.IP) != nil {
			leftAt = s.Updates
		}
	}
	return still, leftAt
}

// formerEndpoints are those of members that were removed from the program, and may still be
// in the cluster.
type formerEndpoints []string

func noteLeft(ctx context.Context, endpoints []string, left []HealthMember) {
	running.Note(ctx, strings.Join(endpoints, " "), func(now *formerEndpoints) {
		for _, m := range left {
			*now = distinct(append(*now, endpoint(m.IP)), "")
		}
	})
}

// hasLeft reports whether a member of the cluster was removed from the program, and no other
// member has its address.
func hasLeft(ctx context.Context, c host.EtcdConnection, m *etcdserverpb.Member) bool {
	former, _ := running.Noted[formerEndpoints](ctx, strings.Join(c.Endpoints, " "))
	return slices.ContainsFunc(former, func(address string) bool {
		at, _, _ := net.SplitHostPort(address)
		return !slices.Contains(c.Endpoints, address) && hasPeer(m, at)
	})
}

// leftEndpoints are the endpoints of removed members that serve, while no member of the
// program does: an update that failed may have destroyed the machine of the only member that
// stays, and the removed ones have the quorum until it is created again. It takes two seconds
// at most, and returns at once when a member of the program serves.
func leftEndpoints(ctx context.Context, c host.EtcdConnection) (serving []string) {
	former, _ := running.Noted[formerEndpoints](ctx, strings.Join(c.Endpoints, " "))
	if len(former) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	all := slices.Concat(c.Endpoints, former)
	alive := make([]bool, len(all))
	sideBySide(len(all), func(i int) {
		if alive[i] = serves(ctx, all[i]) && (i < len(c.Endpoints) || mayBelong(c, all[i])); alive[i] && i < len(c.Endpoints) {
			cancel() // the others do not matter
		}
	})
	if slices.Contains(alive[:len(c.Endpoints)], true) {
		return nil
	}
	for i, address := range former {
		if alive[len(c.Endpoints)+i] {
			serving = append(serving, address)
		}
	}
	return serving
}

// mayBelong reports whether the member at an address may be one of this cluster. A machine of
// another cluster, to which the address was given since, has a certificate of another
// authority.
func mayBelong(c host.EtcdConnection, address string) bool {
	secure, err := tlsConfig(c)
	if err != nil {
		return true // what uses the connection says so
	}
	err = tlsFault(address, secure)
	return !refusedByTLS(err) || expired(err)
}

// MayFound refuses that a member without data creates a cluster while no member of the
// program serves and removed ones do: these still run the cluster.
func MayFound(ctx context.Context, c host.EtcdConnection, name string, members, left []HealthMember) error {
	var addresses []string
	for _, m := range slices.Concat(members, left) {
		addresses = append(addresses, endpoint(m.IP))
	}
	alive := Alive(ctx, addresses)
	if slices.Contains(alive[:len(members)], true) {
		return nil
	}
	var holding []string
	for i, m := range left {
		if alive[len(members)+i] && mayBelong(c, endpoint(m.IP)) {
			holding = append(holding, m.Name)
		}
	}
	if len(holding) == 0 {
		return nil
	}
	return fmt.Errorf("%s has lost its data, and would start a second cluster: %s were removed from the program, but still run the first one. "+
		"Add %s to members again and run `pulumi up --refresh`; remove it in a later update", name, strings.Join(holding, ", "), check.Or(holding))
}
