package health

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// NotBelowLeader are the parameters of which a replica may not have less than the leader, with
// PostgreSQL's defaults. Patroni starts a replica with what the leader has, if that is more than
// the settings say: to lower one, the leader has to be restarted as such, and replicas after it.
var NotBelowLeader = map[string]int{
	"max_connections": 100, "max_locks_per_transaction": 64, "max_prepared_transactions": 0, "max_wal_senders": 10, "max_worker_processes": 8,
}

// waiting are the nodes that wait for a restart.
func (v view) waiting() (names []string) {
	for _, n := range v.nodes {
		if a := v.answers[n.Name]; a.err == nil && a.State == running && a.PendingRestart {
			names = append(names, n.Name)
		}
	}
	return names
}

// waitForRestarts says it of each of them.
func (v view) waitForRestarts() (lines []string) {
	for _, name := range v.waiting() {
		lines = append(lines, name+": waits for a restart of PostgreSQL"+v.answers[name].why())
	}
	return lines
}

// reasons are the parameters for which a node waits, with what it has and what it is to have.
func (s status) reasons() (all map[string]struct {
	Old string `json:"old_value"`
	New string `json:"new_value"`
},
) {
	if json.Unmarshal(s.PendingReason, &all) != nil {
		return nil
	}
	return all
}

// why is for which parameters, if that is known.
func (s status) why() string {
	if names := slices.Sorted(maps.Keys(s.reasons())); len(names) > 0 {
		return " for " + strings.Join(names, ", ")
	}
	return ""
}

// isHeldBack reports whether a replica is known to wait only for what the leader has to lower
// before it.
func (s status) isHeldBack() bool {
	reasons := s.reasons()
	for name, value := range reasons {
		_, is := NotBelowLeader[strings.ToLower(name)]
		before, err := strconv.Atoi(value.Old)
		after, problem := strconv.Atoi(value.New)
		if !is || err != nil || problem != nil || after >= before {
			return false
		}
	}
	return len(reasons) > 0
}
