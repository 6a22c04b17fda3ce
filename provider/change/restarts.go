package change

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/running"
)

// restarts are those of PostgreSQL that an update makes, or leaves to an operator.
type restarts struct {
	names   []string // what waits for them
	lowered []string // those of them that the leader has to lower first
	applies bool     // whether the update makes them
	begins  bool     // and did not before
	starts  bool     // whether PostgreSQL starts again on all machines that were there before, for other reasons
	leader  string   // at the last check, if that is known
}

func (a ClusterArgs) appliesRestarts() bool {
	return a.Settings["applyPendingRestarts"] == "true" && a.Settings["skipHealthChecks"] != "true"
}

// restarts are those that differences between two programs bring about.
func (a ClusterArgs) restarts(before ClusterArgs, d differ, leader string) restarts {
	r := restarts{names: d.needing(before.RestartSettings, a.RestartSettings), applies: a.appliesRestarts(), begins: d.known && !before.appliesRestarts()}
	if slices.Contains(a.Members, leader) {
		r.leader = leader
	}
	for _, path := range d.paths {
		standard, is := a.LeaderFirst[path]
		was, err := strconv.Atoi(valueOr(before.settings().at(path), standard))
		now, problem := strconv.Atoi(valueOr(a.settings().at(path), standard))
		if is && err == nil && problem == nil && now < was {
			r.lowered = append(r.lowered, path[strings.LastIndex(path, ".")+1:])
		}
	}
	return r
}

// valueOr is a value, or what holds where none is given.
func valueOr(v value, standard string) string {
	if v.given {
		return v.text
	}
	return standard
}

// startAgain reports whether PostgreSQL starts again on all machines that were there before.
func (a ClusterArgs) startAgain(before ClusterArgs, happening machines) bool {
	for _, name := range a.Members {
		if slices.Contains(before.Members, name) && !startsAgain(happening[name].lines) {
			return false
		}
	}
	return true
}

// startsAgain reports whether PostgreSQL starts again on a machine to which that happens.
func startsAgain(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return isRebuilt(line) || line == guest.Restart+patroniService })
}

// tellRestarts says which nodes restart PostgreSQL in which order, or what an operator does.
func (a ClusterArgs) tellRestarts(t *telling, r restarts, when tense) {
	switch {
	case !r.applies:
		t.restart(r.names, r.starts && len(r.lowered) == 0, a.RestartCommand)
		return
	case len(r.names) == 0 && (!r.begins || !bool(when)):
		return
	case !bool(when):
		t.add(1, "PostgreSQL was restarted where "+few(r.names)+" needed it")
		return
	}
	why := "where that is pending"
	switch {
	case len(r.names) > 0 && r.starts && len(r.lowered) == 0:
		why = "where " + few(r.names) + " still waits for that"
	case len(r.names) > 0:
		why = "for " + few(r.names)
	}
	if len(a.Members) == 1 {
		t.add(1, "then PostgreSQL restarts "+why+": clients connect again")
		return
	}
	leader, replicas := "the leader", "replicas"
	if r.leader != "" {
		leader = r.leader + ", the leader at the last check"
		replicas = few(slices.DeleteFunc(slices.Clone(a.Members), func(name string) bool { return name == r.leader }))
	}
	t.add(1, "then PostgreSQL restarts "+why+", on one node after the other, each when the cluster is healthy:")
	if len(r.lowered) > 0 {
		t.add(2, leader+": without a switchover, since replicas may not have less of "+few(r.lowered)+": clients connect again", replicas+": after it")
		return
	}
	t.add(2, replicas, leader+": when another one has taken over, by a switchover: clients connect again")
}

// leader is which node of the cluster led when that was last checked, or "".
func leader(ctx context.Context, cluster string) string {
	seen, _ := running.Noted[running.Leader](ctx, above(ctx, 1, cluster))
	return seen.Name
}
