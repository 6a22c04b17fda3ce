package health

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// The states and the role of healthy nodes, as Patroni and PostgreSQL name
// them.
const (
	running   = "running"
	streaming = "streaming"
	leads     = "leader"
)

// view is what one look at all nodes showed. What is missing is described in
// one line; "" is nothing.
type view struct {
	nodes   []Node
	cluster *cluster // as the first node that can reports it; nil if none can
	record  record   // likewise
	config  dynamic  // likewise
	// loopWait is how often Patroni looks at its configuration: 0 if that is not known.
	loopWait time.Duration
	// systemIDs are those that this one cluster has had.
	systemIDs []string
	// noConfig is whether a node answers that Patroni has no configuration in etcd, as before
	// the cluster is initialised.
	noConfig bool
	answers  map[string]answer
}

type answer struct {
	status
	err error
}

// look queries all nodes in parallel, and then a leader that is none of them.
func (c client) look(ctx context.Context, nodes []Node) view {
	v := view{nodes: nodes, answers: map[string]answer{}}
	clusters := make([]*cluster, len(nodes))
	configs, noConfig := make([]dynamic, len(nodes)), make([]bool, len(nodes))
	answers := make([]answer, len(nodes))
	var all fault.Group
	for i, n := range nodes {
		all.Go(func() { answers[i].status, answers[i].err = c.status(ctx, n) })
		all.Go(func() {
			if told, err := c.cluster(ctx, n); err == nil {
				clusters[i] = &told
			}
		})
		all.Go(func() { configs[i], noConfig[i] = c.dynamic(ctx, n) })
	}
	all.Wait()
	v.noConfig = slices.Contains(noConfig, true)
	for i, n := range nodes {
		v.answers[n.Name] = answers[i]
		v.cluster = cmp.Or(v.cluster, clusters[i])
		if v.record == nil {
			v.record, v.loopWait = configs[i].Nodes, time.Duration(configs[i].LoopWait*float64(time.Second))
			v.systemIDs, v.config = configs[i].SystemIDs, configs[i]
		}
	}
	if leader := v.holder(); v.outside(leader) {
		var a answer
		if n, err := v.member(leader).node(); err != nil {
			a.err = err
		} else {
			a.status, a.err = c.status(ctx, n)
		}
		v.answers[leader] = a
	}
	return v
}

// isUpgraded reports whether two system ids are of this cluster, before and after a major upgrade.
func (v view) isUpgraded(before, now string) bool {
	return slices.Contains(v.systemIDs, before) && slices.Contains(v.systemIDs, now)
}

// isUnreported reports whether no node reports the state of the cluster.
func (v view) isUnreported() bool { return v.cluster == nil && v.record == nil }

// outside reports whether a leader is none of the nodes queried, as one that
// was removed from the program.
func (v view) outside(leader string) bool {
	return leader != "" && !slices.Contains(nodeNames(v.nodes), leader)
}

// leader is the leader, if it accepts writes, or follows the source as that of a standby
// cluster; if there is none, missing says why.
func (v view) leader() (name, missing string) {
	if v.cluster == nil {
		var told []string
		for _, n := range v.nodes {
			if err := v.answers[n.Name].err; err != nil {
				told = append(told, fmt.Sprintf("%s: %s", n.Name, err))
			}
		}
		return "", "no node reports the state of the cluster: " + cmp.Or(strings.Join(told, ", "), "they do not reach etcd")
	}
	name = v.holder()
	a, asked := v.answers[name]
	switch {
	case name == "":
		return "", "no node is the leader"
	case !asked:
		return "", name + ": is the leader, but is not one of the nodes"
	case a.err != nil && v.outside(name):
		return "", fmt.Sprintf("%s: is the leader, is not one of the nodes, and does not answer: %s; another node takes over when the leader key in etcd expires", name, a.err)
	case a.err != nil:
		return "", fmt.Sprintf("%s: is the leader, but does not answer: %s", name, a.err)
	}
	if missing := v.leads(name); missing != "" {
		return "", missing
	}
	return name, ""
}

// holder is the node that holds the leader key, healthy or not.
func (v view) holder() string {
	for _, m := range v.members() {
		if m.Role == leads || m.Role == leadsStandby {
			return m.Name
		}
	}
	return ""
}

// faultOf says what is missing until a node leads, or streams from the leader and
// is not too far behind.
func (v view) faultOf(name, leader string, maximumLag int) (missing string) {
	a := v.answers[name]
	switch {
	case name == leader:
		return ""
	case a.err != nil:
		return fmt.Sprintf("%s%s%s", name, silent, a.err)
	case a.Patroni.Name != "" && a.Patroni.Name != name:
		return fmt.Sprintf("%s: another node answers at its address: %s", name, a.Patroni.Name)
	case v.member(name) == nil:
		return fmt.Sprintf("%s: is not in the cluster yet: %s", name, a.status)
	case a.State != running || !v.streams(name, leader):
		return fmt.Sprintf("%s: is not streaming: %s", name, a.status)
	}
	if lag := v.lag(name, leader); lag > int64(maximumLag) {
		return fmt.Sprintf("%s: is %d bytes behind, and %d are allowed", name, lag, maximumLag)
	}
	return ""
}

// streams reports whether a node streams, as the leader says: a replica that
// says so may be cut off.
func (v view) streams(name, leader string) bool {
	return slices.Contains(v.answers[leader].Replication, sender{name, streaming})
}

// out reports whether a node is out of the cluster: another node is the leader,
// and does not send to it.
func (v view) out(name string) bool {
	leader, reason := v.leader()
	return reason == "" && name != leader && !slices.ContainsFunc(v.answers[leader].Replication, func(s sender) bool { return s.Node == name })
}

// follows reports whether a node streams from the leader.
func (v view) follows(leader string, maximumLag int) bool {
	return slices.ContainsFunc(v.nodes, func(n Node) bool { return n.Name != leader && v.faultOf(n.Name, leader, maximumLag) == "" })
}

// lag is how many bytes a replica has not received.
func (v view) lag(name, leader string) int64 {
	return max(0, v.answers[leader].position()-v.answers[name].Xlog.ReceivedLocation)
}

func (v view) paused() bool { return v.cluster != nil && v.cluster.Pause }

func (v view) members() []member {
	if v.cluster == nil {
		return nil
	}
	return v.cluster.Members
}

func (v view) member(name string) *member {
	if i := slices.IndexFunc(v.members(), func(m member) bool { return m.Name == name }); i >= 0 {
		return &v.cluster.Members[i]
	}
	return nil
}

// hasData reports whether a node has.
func (v view) hasData() bool {
	for _, a := range v.answers {
		if a.SystemID != "" {
			return true
		}
	}
	return false
}

// allAnswer reports whether all nodes do.
func (v view) allAnswer() bool {
	for _, n := range v.nodes {
		if v.answers[n.Name].err != nil {
			return false
		}
	}
	return true
}
