package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// runsAlready bounds the wait for a cluster that is there already: nothing of it has to boot.
const runsAlready = 2 * time.Minute

func (m HealthMember) isExternal() bool { return ptr.Value(m.External) }

// isShared reports whether some of the members are somebody else's.
func (a HealthArgs) isShared() bool { return slices.ContainsFunc(a.Members, HealthMember.isExternal) }

// concernsOthers reports whether the gate is the first one of a cluster some of whose members are, or were before, somebody else's.
func (a HealthArgs) concernsOthers(before *HealthState) bool {
	return a.isFirst() && (a.isShared() || before != nil && before.isShared())
}

// isFirst reports whether the gate is the one that an update of an EtcdCluster begins with.
func (a HealthArgs) isFirst() bool {
	return *a.Require == Quorum && a.Without == nil && ptr.Value(a.RemoveOthers) && a.Authority != nil
}

// knows refuses external members that the cluster does not have as the program says.
func (a HealthArgs) knows(v view) error {
	var wrong []error
	for _, m := range a.Members {
		if !m.isExternal() {
			continue
		}
		switch found := v.find(m.Name, ""); {
		case found == nil:
			wrong = append(wrong, fmt.Errorf("%s is external, and the cluster has no member of that name: it has %s", m.Name, strings.Join(v.names(), ", ")))
		case !hasPeer(found, m.IP):
			wrong = append(wrong, fmt.Errorf("%s is external with the address %s, and the cluster knows it by %s", m.Name, m.IP, strings.Join(found.PeerURLs, ", ")))
		case found.IsLearner:
			wrong = append(wrong, fmt.Errorf("%s is external, and a learner: promote it first", m.Name))
		case started(found) && !slices.ContainsFunc(found.ClientURLs, func(url string) bool { return hostPort(url) == hostPort(endpoint(m.IP)) }):
			wrong = append(wrong, fmt.Errorf("%s is external and serves clients at %s, which must be %s", m.Name, strings.Join(found.ClientURLs, ", "), endpoint(m.IP)))
		case strings.HasPrefix(v.version(found), "3.4."):
			wrong = append(wrong, fmt.Errorf("%s is external and runs etcd %s: upgrade it to 3.5 first", m.Name, v.version(found)))
		}
	}
	return errors.Join(wrong...)
}

func (v view) names() (all []string) {
	for _, m := range v.list {
		all = append(all, called(m))
	}
	return all
}

// tellOthers says what becomes of members that are not in the program, and of those that do not answer.
func (a HealthArgs) tellOthers(ctx context.Context, v view, before *HealthState) error {
	var others []string
	for _, m := range v.others(a.Members) {
		was := before != nil && slices.ContainsFunc(before.Members, func(b HealthMember) bool { return b.isExternal() && b.Name == m.Name })
		switch {
		case was:
			p.GetLogger(ctx).Warningf("%[1]s was external, and is not in the program any more: it is removed from the cluster, and its machine stays. If it is to stay a member, name it again", m.Name)
		case m.IsLearner && !hasLeft(ctx, a.Etcd, m):
			return fmt.Errorf("the cluster has a learner that the program does not name: %s. etcd has one at a time: promote it, or remove it", called(m))
		case !hasLeft(ctx, a.Etcd, m):
			others = append(others, called(m))
		}
	}
	if names := strings.Join(others, ", "); names != "" && a.isShared() {
		p.GetLogger(ctx).Warningf("the cluster has members that the program does not name: %s. They stay as they are. Name them before the last external member is taken over, with `external: true`", names)
	} else if names != "" {
		return fmt.Errorf("the cluster has members that the program does not name, and this update would remove them: %s. Name them with `external: true`; to remove them, take them out of the program in an update after that", names)
	}
	for _, m := range a.Members {
		if found := v.find(m.Name, m.IP); m.isExternal() && found != nil && v.of(found).status == nil {
			p.GetLogger(ctx).Warningf("%s is external and does not answer: start it, or take it over as the next one", m.Name)
		}
	}
	return nil
}

// keepsQuorum refuses that a member of a cluster is taken over that has none to spare.
func (a HealthArgs) keepsQuorum(ctx context.Context, v view) error {
	voters := slices.DeleteFunc(slices.Clone(v.list), func(m *etcdserverpb.Member) bool { return m.IsLearner })
	for _, m := range a.Members {
		if !m.isExternal() && len(voters) < 3 && v.votes(m.Name) && !wait.IsOurs(ctx, m.IP) {
			return fmt.Errorf("%s must stay external while the cluster has fewer than three members: it would have no quorum until the new machine is in its place. Have three members first, in an update of its own", m.Name)
		}
	}
	return nil
}

// keepsAuth refuses to turn authentication on in a cluster that was there before, unless that is
// wanted: clients without a user would be refused from then on.
func (a HealthArgs) keepsAuth(ctx context.Context, client *clientv3.Client) error {
	status, err := client.AuthStatus(ctx)
	if err != nil || status.Enabled {
		return err
	}
	if ptr.Value(a.EnableAuth) && !a.isShared() {
		users, err := client.UserList(ctx)
		if err == nil {
			p.GetLogger(ctx).Warningf("authentication is turned on in this cluster: clients that are none of its users are refused from then on. It has root and: %s",
				strings.Join(slices.DeleteFunc(users.Users, func(name string) bool { return name == "root" }), ", "))
		}
		return err
	}
	if a.isShared() {
		p.GetLogger(ctx).Warning("authentication is off in this cluster, and stays off while a member is external. Before the last one is taken over, add the users that the applications need, and set enableAuth: true")
		return nil
	}
	return errors.New("authentication is off in this cluster, and this update would turn it on: clients without a user would be refused from then on. " +
		"Add the users that the applications need, then set enableAuth: true")
}

// foresees is what a preview can say of a cluster with external members, or one that had some.
func (a HealthArgs) foresees(ctx context.Context, before *HealthState) error {
	if !a.concernsOthers(before) || ptr.Value(a.SkipHealthChecks) {
		return nil
	}
	if a.Etcd.CACert == "" || slices.Contains(a.ips(), "") || a.Etcd.ClientCert != nil && *a.Etcd.ClientCert == "" || a.Etcd.Password != nil && *a.Etcd.Password == "" {
		p.GetLogger(ctx).Info("the cluster is not asked in this preview: what reaches it is not known yet, or made by the update, like the certificate of root")
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, foreseeing)
	defer cancel()
	root := a.login(ctx, before)
	var refusal error
	err := root.do(bounded, func(ctx context.Context, client *clientv3.Client) error {
		v, err := look(ctx, client, a.Etcd, a.ips()...)
		if err == nil {
			refusal = a.fits(ctx, v, before)
		}
		return err
	})
	if err != nil {
		p.GetLogger(ctx).Warningf("the cluster could not be asked, and the update fails unless that changes: %s", reason(err))
	}
	return refusal
}

// fits refuses a program that does not fit the cluster that it shares, and warns of what it does not name.
func (a HealthArgs) fits(ctx context.Context, v view, before *HealthState) error {
	if !a.concernsOthers(before) {
		return nil
	}
	if a.Version == nil {
		warnOfLater(ctx, v.running())
	}
	return errors.Join(a.knows(v), a.keepsAuth(ctx, v.client), a.givesBack(ctx, before), a.keepsQuorum(ctx, v), a.canBeVerified(ctx), a.tellOthers(ctx, v, before))
}

// givesBack refuses that a member of ours becomes external before another machine is in its place.
func (a HealthArgs) givesBack(ctx context.Context, before *HealthState) error {
	if before == nil {
		return nil
	}
	for _, m := range before.Members {
		at := slices.IndexFunc(a.Members, func(n HealthMember) bool { return n.Name == m.Name })
		if at >= 0 && a.Members[at].isExternal() && !m.isExternal() && (wait.IsOurs(ctx, m.IP) || !accepted(ctx, []string{endpoint(a.Members[at].IP)})) {
			return fmt.Errorf("%s must not become external while its machine is one of this program, which would be deleted: remove it from members in one update, "+
				"then add the other machine to the cluster by `etcdctl member add`, and name it with `external: true` when it runs. If no new machine was made yet, start the old one first", m.Name)
		}
	}
	return nil
}
