package health

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	clientv3 "go.etcd.io/etcd/client/v3"

	etcd "github.com/pulumi-quorum/pulumi-quorum/provider/etcd/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// What would be noticed only when the former machine of a node is gone is looked at before anything is changed.

// isInEtcd requires the cluster to have its keys where Patroni of machines that are made looks for them: it would take
// data beside which it finds none for those of a cluster that it is to found.
func (g *gate) isInEtcd(ctx context.Context, systemID string) error {
	to, keys := g.Plan.Etcd, ptr.Value(g.Plan.Keys)
	if to == nil || keys == "" || to.CACert == "" || len(to.Endpoints) == 0 || slices.Contains(to.Endpoints, "") || to.Password != nil && *to.Password == "" {
		return nil // not known yet, in a preview
	}
	found := ""
	err := etcd.With(ctx, *to, func(ctx context.Context, client *clientv3.Client) error {
		answer, err := client.Get(ctx, path.Join(keys, "initialize"))
		if err == nil && len(answer.Kvs) > 0 {
			found = string(answer.Kvs[0].Value)
		}
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("whether etcd has the cluster of the external nodes cannot be seen: %w", err)
	case found == "":
		return fmt.Errorf("patroni.namespace, patroni.scope or etcd.endpoints: this etcd has no cluster below %s, and the one of the external nodes has the system id %s. They must be as in the configuration of its Patroni", keys, systemID)
	case found != systemID:
		return fmt.Errorf("patroni.namespace, patroni.scope or etcd.endpoints: the cluster below %s in this etcd has the system id %s, and the one of the external nodes %s", keys, found, systemID)
	}
	return nil
}

// replicates says what the program says otherwise of synchronous replication, which gates wait for.
func (g *gate) replicates() error {
	has, wanted := g.last.config.synchronousStandbys(), *g.SynchronousStandbys
	switch {
	case g.last.record == nil || has == wanted: // the configuration could not be read
		return nil
	case has == 0:
		return errors.New("patroni.isSynchronous must be false while a node is external, as the cluster has it (synchronous_mode)")
	case wanted == 0:
		return errors.New("patroni.isSynchronous must be true while a node is external, as the cluster has it (synchronous_mode)")
	}
	return fmt.Errorf("patroni.synchronousSettings.synchronousNodeCount must be %d while a node is external, as the cluster has it (synchronous_node_count), not %d", has, wanted)
}

// synchronousStandbys are how many a commit waits for.
func (d dynamic) synchronousStandbys() int {
	switch mode := strings.ToLower(fmt.Sprint(d.SynchronousMode)); {
	case mode != "true" && mode != "on" && mode != "quorum":
		return 0
	case d.SynchronousNodeCount == nil:
		return 1
	}
	return *d.SynchronousNodeCount
}

// logsIn logs in as nodes do. What keeps this side alone from it, as the network or rules of who may connect, is told.
func (g *gate) logsIn(ctx context.Context, leader string) error {
	n := g.named(leader)
	if n == nil || ptr.Value(g.SuperuserPassword) == "" || ptr.Value(g.Plan.ReplicatorPassword) == "" {
		return nil
	}
	as := func(input, name string, err error) error {
		switch {
		case admin.IsRefused(err):
			return fmt.Errorf("%s is not that of the cluster: %s, which leads, refuses it for the user %s, or has no such user", input, leader, name)
		case err != nil:
			p.GetLogger(ctx).Warningf("whether %s is that of the cluster cannot be seen from here: %s", input, err)
		}
		return nil
	}
	roles, err := g.superuser(*n).Roles(ctx)
	wrong := as("postgres.superuserPassword", "postgres", err)
	replicator, user := g.superuserBy(g.Plan.ReplicatorPassword, *n), "replicator"
	replicator.User = &user
	wrong = errors.Join(wrong, as("postgres.replicatorPassword", user, replicator.Replicates(ctx)))
	var md5 []string
	for _, role := range roles {
		if role.MD5 {
			md5 = append(md5, role.Name)
		}
	}
	if len(md5) > 0 {
		wrong = errors.Join(wrong, fmt.Errorf("users of the cluster have passwords of the kind md5, with which machines that are made let nobody in: %s. "+
			"Set password_encryption to scram-sha-256, and give them their passwords again", strings.Join(md5, ", ")))
	}
	return wrong
}

// oldestPatroni is the first beside which Patroni 4 works reliably, by its release notes.
var oldestPatroni = [2]int{3, 1}

// contributed are libraries that PostgreSQL itself brings.
var contributed = []string{"auth_delay", "auto_explain", "passwordcheck", "pg_prewarm", "pg_stat_statements", "sepgsql", "basebackup_to_shell", "basic_archive", "pg_overexplain"}

// warnOfExisting names what new nodes may stumble over.
func (g *gate) warnOfExisting(ctx context.Context) {
	for _, n := range g.Nodes {
		version := g.last.answers[n.Name].Patroni.Version
		if n.isExternal() && isOlder(version, oldestPatroni) {
			p.GetLogger(ctx).Warningf("%s runs Patroni %s. Machines that are made may have Patroni 4, which works reliably only beside %d.%d or later: upgrade it before a node is taken over",
				n.Name, version, oldestPatroni[0], oldestPatroni[1])
		}
	}
	parameters := g.last.config.Postgresql.Parameters
	var missing []string
	for word := range strings.SplitSeq(fmt.Sprint(parameters["shared_preload_libraries"]), ",") {
		name := strings.TrimPrefix(strings.Trim(word, ` "'`), "$libdir/")
		if parameters["shared_preload_libraries"] != nil && name != "" && !slices.Contains(contributed, name) && !slices.Contains(g.Plan.Libraries, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		p.GetLogger(ctx).Warningf("the cluster loads %s (shared_preload_libraries), without which PostgreSQL does not start on a machine that is made: give postgres.extensions, or an image that has it", strings.Join(missing, ", "))
	}
	for _, name := range []string{"archive_command", "restore_command"} {
		if command := fmt.Sprint(parameters[name]); parameters[name] != nil && command != "" && command != "/bin/true" {
			p.GetLogger(ctx).Warningf("the cluster has a %s: what it runs must be on machines that are made, too. Where it fails, WAL that is not archived fills the disk of the leader", name)
		}
	}
}

func isOlder(version string, than [2]int) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err := strconv.Atoi(major)
	second, failed := strconv.Atoi(minor)
	return err == nil && failed == nil && (first < than[0] || first == than[0] && second < than[1])
}
