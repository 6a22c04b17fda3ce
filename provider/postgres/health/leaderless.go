package health

import (
	"fmt"
	"time"
)

// initialisingStarts is how long nodes that reach etcd may take until one of them initialises
// the cluster, which Patroni begins at once.
const initialisingStarts = 2 * time.Minute

// noteIdle notes since when all nodes answer, none has data, and none initialises the cluster: one
// that has just booted, or does not answer, may be about to.
func (g *gate) noteIdle(v view) {
	switch idle := v.neverInitialised() && v.allAnswer() && v.initialising() == ""; {
	case !idle:
		g.idleSince = time.Time{}
	case g.idleSince.IsZero():
		g.idleSince = time.Now()
	}
}

// leaderless says why there is no leader and, if a node has lost its data, which nodes have
// data: Patroni promotes only a synchronous standby, and initialises no second cluster while
// etcd has keys of the first one.
func (g *gate) leaderless(v view, reason string) []string {
	if v.isUnreported() && len(g.inCluster) > 0 && !g.neverSeen {
		return []string{reason, adviceUnreachable}
	}
	lines, without := []string{reason}, 0
	for _, n := range g.Nodes {
		switch a := v.answers[n.Name]; {
		case a.err != nil:
			lines = append(lines, n.Name+silent+a.err.Error())
		case a.SystemID == "":
			lines, without = append(lines, n.Name+": has no data"), without+1
		default:
			lines = append(lines, n.Name+": has data")
		}
	}
	switch {
	case !g.idleSince.IsZero() && time.Since(g.idleSince) > initialisingStarts:
		return append(lines, "No node has data, and none is initialising the cluster. If a node was lost while it did, the others wait for it: delete Patroni's keys of this cluster in etcd: "+g.forgets(v))
	case v.cluster == nil || v.holder() != "" || without == 0 || g.old.SystemID == "":
		return []string{reason}
	case without == len(g.Nodes):
		return append(lines, "Only if no data volume and no backup can be restored: delete Patroni's keys of this cluster in etcd, after which it starts again empty: "+g.forgets(v))
	}
	return append(lines, "If the data of the leader and of all synchronous standbys are lost, see Recover in docs/postgres-cluster.md")
}

// forgets is the command that deletes Patroni's keys of this cluster in etcd, and not those of
// other clusters.
func (g *gate) forgets(v view) string {
	prefix, where := "/NAMESPACE/SCOPE/", ", with the values of patroni.namespace and patroni.scope in place of NAMESPACE and SCOPE"
	for _, a := range v.answers {
		if a.Patroni.Scope != "" { // not before Patroni 3.1
			prefix, where = "/NAMESPACE/"+a.Patroni.Scope+"/", ", with the value of patroni.namespace in place of NAMESPACE"
		}
	}
	if g.Plan != nil && g.Plan.Keys != nil {
		prefix, where = *g.Plan.Keys, ""
	}
	return fmt.Sprintf("`etcdctl del --prefix %s`%s", prefix, where)
}
