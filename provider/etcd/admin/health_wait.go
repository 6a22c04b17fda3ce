package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// await waits, and notes in s what it sees.
func (a HealthArgs) await(ctx context.Context, s, before *HealthState) error {
	if ptr.Value(a.SkipHealthChecks) {
		s.forget()
		return skipped(ctx)
	}
	root := a.login(ctx, before)
	reports := &recentReports{etcd: a.Etcd, members: a.Members}
	lost, only, two := quorumLoss{reports: reports, restores: a.restoring()}, a.onlyMember(before), oneOfTwo{HealthArgs: a, reports: reports}
	limit, fits := healthLimit, false
	if a.isFirst() && a.isShared() {
		limit = runsAlready
	}
	watch := func(ctx context.Context, judge func(context.Context, view) (missing string, err error)) error {
		return a.waits(limit, func(name string) bool { return a.ranBefore(name, before) }).Until(ctx, func(ctx context.Context) (missing string, err error) {
			err = root.do(ctx, func(ctx context.Context, client *clientv3.Client) error {
				v, err := look(ctx, client, a.Etcd, a.ips()...)
				if err != nil {
					return err
				}
				if err := a.sameCluster(v, before); err != nil {
					return err
				}
				if err := errors.Join(a.upgradable(v), a.knows(v)); err != nil {
					return err
				}
				if !fits {
					if err := a.fits(ctx, v, before); err != nil {
						return err
					}
					fits = true
				}
				s.remember(v, a.Members)
				s.Joining = a.names()
				s.Left, s.LeftAt = v.stillLeft(ctx, *s)
				missing, err = judge(ctx, v)
				return err
			})
			if only.passes(ctx, err) || before != nil && two.passes(ctx, err) {
				s.Joining = before.joining()
				return "", nil
			}
			return lost.explain(ctx, missing, err)
		})
	}
	var err error
	if *a.Require == All && a.Without == nil {
		t := upkeep{HealthArgs: a, asked: a.newDefragment(before), root: root, watch: watch}
		if err = t.do(ctx); err == nil && ptr.Value(a.RemoveOthers) && s.Identity == "" && !a.isShared() {
			err = watch(ctx, func(ctx context.Context, v view) (string, error) { return v.identify(ctx, s) })
		}
		if err == nil && a.Repository != nil {
			err = a.backedUp(ctx, s)
		}
	} else {
		if err = a.waitAndRejoin(ctx, root, func() error { return watch(ctx, a.next) }); err != nil {
			a.stayUp(ctx, root)
		} else if before == nil && a.Without != nil {
			err = a.isFree(ctx)
		}
	}
	s.RootPasswords = root.keep()
	return advised(err, a.blamed(err)...)
}

// login is how the gate logs in as root.
func (a HealthArgs) login(ctx context.Context, before *HealthState) *rootLogin {
	if before == nil {
		return newRootLogin(a.Etcd, nil, notedPasswords(ctx, a.Etcd))
	}
	return newRootLogin(a.Etcd, &before.Etcd, before.RootPasswords)
}

// waits is a wait for the members, of which those are named that are known to have run on their machines.
func (a HealthArgs) waits(limit time.Duration, ranBefore func(name string) bool) wait.For {
	w := wait.For{Limit: limit}
	for _, m := range a.Members {
		w.Machines = append(w.Machines, wait.Machine{Name: m.Name, IP: m.IP, Port: ports.EtcdClient, RanBefore: ranBefore(m.Name)})
	}
	return w
}

// later turns an error that another look may not meet into something missing.
func later(missing string, err error) (string, error) {
	if silent := (unreachableError{}); errors.As(err, &silent) {
		return silent.lines(), nil
	}
	if notNow(err) {
		return reason(err), nil
	}
	return missing, err
}

// remember notes the identity of the cluster and the ids of its members.
func (s *HealthState) remember(v view, members []HealthMember) {
	s.ClusterID, s.Revision = fmt.Sprintf("%x", v.id), int(v.revision)
	if v.identity != nil {
		s.Identity = *v.identity
	}
	s.MemberIDs = map[string]string{}
	for _, m := range members {
		if found := v.find(m.Name, m.IP); found != nil {
			s.MemberIDs[m.Name] = fmt.Sprintf("%x", found.ID)
		}
	}
}

// skipped warns that no health check was made.
func skipped(ctx context.Context) error {
	p.GetLogger(ctx).Warning("skipHealthChecks is on: no health check was made")
	return nil
}

// blamed are the addresses of the members that an error names, or of all.
func (a HealthArgs) blamed(err error) (ips []string) {
	if err == nil {
		return nil
	}
	words := strings.FieldsFunc(err.Error(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '.' })
	for _, m := range a.Members {
		if slices.Contains(words, m.Name) || slices.Contains(words, m.IP) {
			ips = append(ips, m.IP)
		}
	}
	if len(ips) == 0 {
		return a.ips()
	}
	return ips
}

// advised is err and, if a wait ended without success, what to do about it.
func advised(err error, ips ...string) error {
	if ended := (wait.EndedError{}); !errors.As(err, &ended) {
		return err
	}
	return fmt.Errorf("%w\nLook at the machine: `journalctl -u etcd -u quorum-apply` on %s. %s", err, check.Or(ips), wait.GoesOn(err, "members"))
}
