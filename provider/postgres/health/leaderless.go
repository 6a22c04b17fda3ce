package health

// leaderless is why nobody leads, and who has data where a node has lost its own:
// Patroni lets none lead that was no synchronous standby, and founds no second
// cluster while etcd knows of a first one.
func (g *gate) leaderless(v view, reason string) []string {
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
	case v.cluster == nil || v.holder() != "" || without == 0 || g.old.SystemID == "":
		return []string{reason}
	case without == len(g.Nodes):
		return append(lines, "The cluster begins again empty once what Patroni wrote in etcd is removed, by `etcdctl del --prefix /service/main/`, where main is patroni.scope")
	}
	return append(lines, "If the leader was lost with the data of all that may take over, see Recover in docs/postgres-cluster.md")
}
