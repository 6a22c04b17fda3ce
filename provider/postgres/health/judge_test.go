package health

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	all := func(*gate) {}
	as := func(*view) {}
	for name, c := range map[string]struct {
		gate    func(*gate)
		view    func(*view)
		missing []string
		next    action
		err     string
	}{
		"all are well":               {gate: synchronous, view: as},
		"before Patroni 4":           {gate: all, view: change(one, func(a *answer) { a.Role = "master" })},
		"nobody answers":             {gate: all, view: both(dead(one), dead(two), dead(three), noCluster), missing: []string{"no node reports the state of the cluster: postgres-1: connection refused, postgres-2: connection refused, postgres-3: connection refused"}},
		"etcd is unavailable":        {gate: all, view: noCluster, missing: []string{"no node reports the state of the cluster: they do not reach etcd"}},
		"no leader":                  {gate: all, view: unlocked, missing: []string{"no node is the leader"}},
		"an unknown leader":          {gate: all, view: func(v *view) { v.cluster.Members[0].Name = "db" }, missing: []string{"db: is the leader, but is not one of the nodes"}},
		"the leader is dead":         {gate: all, view: dead(one), missing: []string{"postgres-1: is the leader, but does not answer: connection refused"}},
		"the leader is promoted yet": {gate: all, view: change(one, func(a *answer) { a.Role = "replica" }), missing: []string{"postgres-1: is the leader, but does not accept writes yet: replica, state running"}},
		"the leader starts":          {gate: all, view: starting(one), missing: []string{"postgres-1: is the leader, but does not accept writes yet: primary, state starting"}},
		"two are not well":           {gate: synchronous, view: both(starting(two), dead(three)), missing: []string{"postgres-2: is not streaming: replica, state starting", "postgres-3: does not answer: connection refused"}},
		"a replica on its own":       {gate: all, view: change(one, func(a *answer) { a.Replication[0].State = "catchup" }), missing: []string{"postgres-2: is not streaming: replica, state running"}},
		"not a member":               {gate: all, view: func(v *view) { v.cluster.Members = v.cluster.Members[:2] }, missing: []string{"postgres-3: is not in the cluster yet: replica, state running"}},
		"another node":               {gate: all, view: change(two, func(a *answer) { a.Patroni.Name = three }), missing: []string{"postgres-2: another node answers at its address: postgres-3"}},
		"behind":                     {gate: all, view: change(two, func(a *answer) { a.Xlog.ReceivedLocation -= 2 << 20 }), missing: []string{"postgres-2: is 2097152 bytes behind, and 1048576 are allowed"}},
		"ahead of what was asked":    {gate: all, view: change(two, func(a *answer) { a.Xlog.ReceivedLocation += 2 << 20 })},
		"no synchronous standby":     {gate: synchronous, view: asynchronous, missing: []string{"postgres-1: has 0 of 1 synchronous standbys"}},
		"enough quorum standbys":     {gate: synchronous, view: quorumCommit},
		"paused":                     {gate: all, view: func(v *view) { v.cluster.Pause = true }, err: "the cluster is paused (maintenance mode), so that Patroni does not fail over. `sudo patronictl -c /etc/patroni/conf.yml resume` on a node ends the pause; then the next `pulumi up` continues here"},
		"another cluster":            {gate: func(g *gate) { g.old.SystemID = "1" }, view: as, err: "postgres-1: is the leader of another cluster: its system id is 7268616322854375442, and was 1. If that is what you want, `skipHealthChecks: true` for one `pulumi up` takes the cluster as it is"},
		"the same cluster":           {gate: func(g *gate) { g.old.SystemID = "7268616322854375442" }, view: as},
		"a switchover is planned":    {gate: all, view: planned},

		"one is well, others are not":     {gate: of(three), view: dead(two)},
		"the leader itself":               {gate: of(one), view: both(dead(two), dead(three))},
		"one is not well, others are":     {gate: of(three), view: starting(three), missing: []string{"postgres-3: is not streaming: replica, state starting"}},
		"one of a cluster with no leader": {gate: of(three), view: unlocked, missing: []string{"no node is the leader"}},

		"a replica can go":                              {gate: without(three, synchronous), view: as},
		"a sick replica can go":                         {gate: without(three, synchronous), view: gone(three)},
		"the synchronous standby can go":                {gate: without(two, synchronous), view: as, next: action{changeStandby: two}},
		"a quorum standby can go":                       {gate: without(two, synchronous), view: quorumCommit},
		"the standby of an asynchronous cluster can go": {gate: without(two), view: as},
		"a replica, while no other stands by":           {gate: without(three, synchronous), view: asynchronous, missing: []string{"postgres-1: has 0 of 1 synchronous standbys without postgres-3"}},
		"the standby of two nodes can go":               {gate: func(g *gate) { g.Nodes = g.Nodes[:2]; without(two, synchronous)(g) }, view: as},
		"a replica, while another is dead":              {gate: without(three, synchronous), view: dead(two), missing: []string{"postgres-2: does not answer: connection refused"}},
		"a replica, while another is gone":              {gate: without(three), view: gone(two), missing: []string{"postgres-2: does not answer: connection refused"}},
		"a replica, while another is made":              {gate: without(three, founding), view: gone(two)},
		"a replica, while another joins":                {gate: without(three, founding), view: starting(two), missing: []string{"postgres-2: is not streaming: replica, state starting"}},
		"a replica, while the leader is dead":           {gate: without(three), view: dead(one), missing: []string{"postgres-1: is the leader, but does not answer: connection refused"}},
		"a replica, while nobody leads":                 {gate: without(three), view: unlocked, missing: []string{"no node is the leader"}},
		"a dead leader that keeps its lock":             {gate: without(one), view: dead(one), missing: []string{"postgres-1: is the leader, but does not answer: connection refused"}},
		"the only node can go":                          {gate: func(g *gate) { g.Nodes = g.Nodes[:1]; without(one)(g) }, view: dead(one)},
		"the only node can go, but not with its data":   {gate: func(g *gate) { g.Nodes, g.loses = g.Nodes[:1], true; without(one)(g) }, view: as, err: "its data would be lost with it, and no other node has them. Add a node first, in an update of its own, or allow the loss with allowDataLoss: true"},
		"nor where another was never made":              {gate: without(one, aware(), func(g *gate) { g.loses = true }), view: both(gone(two), gone(three), recorded(one)), err: "its data would be lost with it, and no other node has them. Add a node first, in an update of its own, or allow the loss with allowDataLoss: true"},
		"unless that is allowed":                        {gate: func(g *gate) { g.Nodes, g.loses = g.Nodes[:1], true; without(one, losing)(g) }, view: as},
		"one of several with its data":                  {gate: without(three, synchronous, func(g *gate) { g.loses = true }), view: as},
		"the only node has lost its data":               {gate: func(g *gate) { g.Nodes = g.Nodes[:1]; known(g) }, view: both(unlocked, blank(one)), missing: []string{"no node is the leader", "postgres-1: has no data", "Only if no data volume and no backup can be restored: delete Patroni's keys of this cluster in etcd, after which it starts again empty: `etcdctl del --prefix /NAMESPACE/main/`, with the value of patroni.namespace in place of NAMESPACE"}},
		"the leader is lost with its standbys":          {gate: known, view: both(unlocked, blank(one), dead(two)), missing: []string{"no node is the leader", "postgres-1: has no data", "postgres-2: does not answer: connection refused", "postgres-3: has data", "If the data of the leader and of all synchronous standbys are lost, see Recover in docs/postgres-cluster.md"}},
		"so for another that is to change":              {gate: without(three, known), view: both(unlocked, blank(one), blank(two)), missing: []string{"no node is the leader", "postgres-1: has no data", "postgres-2: has no data", "postgres-3: has data", "If the data of the leader and of all synchronous standbys are lost, see Recover in docs/postgres-cluster.md"}},
		"a cluster that is being founded":               {gate: all, view: both(unlocked, blank(one), blank(two), blank(three)), missing: []string{"no node is the leader"}},
		"a node was lost while it initialised":          {gate: func(g *gate) { g.idleSince = time.Now().Add(-3 * time.Minute) }, view: both(unlocked, waits(one), waits(two), waits(three), func(v *view) { v.noConfig, v.record = true, nil }), missing: []string{"no node is the leader", "postgres-1: has no data", "postgres-2: has no data", "postgres-3: has no data", "No node has data, and none is initialising the cluster. If a node was lost while it did, the others wait for it: delete Patroni's keys of this cluster in etcd: `etcdctl del --prefix /NAMESPACE/main/`, with the value of patroni.namespace in place of NAMESPACE"}},
		"the only node has begun again":                 {gate: func(g *gate) { g.Nodes, g.old.SystemID = g.Nodes[:1], "1"; losing(g) }, view: as},
		"the leader hands over":                         {gate: without(one, synchronous), view: as, next: action{handOverTo: two}},
		"only to a synchronous standby":                 {gate: without(one, synchronous, preferring), view: as, next: action{handOverTo: two}},
		"to one that is preferred":                      {gate: without(one, preferring), view: asynchronous, next: action{handOverTo: three}},
		"to the least behind":                           {gate: without(one), view: both(asynchronous, change(two, func(a *answer) { a.Xlog.ReceivedLocation -= 100 })), next: action{handOverTo: three}},
		"to one that is preferred and behind":           {gate: without(one, preferring), view: both(quorumCommit, change(three, func(a *answer) { a.Xlog.ReceivedLocation -= 100 })), next: action{handOverTo: three}},
		"to one that may":                               {gate: without(one), view: both(asynchronous, noFailover), next: action{handOverTo: three}},
		"not before all are well":                       {gate: without(one, synchronous), view: starting(three), missing: []string{"postgres-3: is not streaming: replica, state starting"}},
		"to none that may":                              {gate: without(one), view: noFailover, missing: []string{"postgres-1: is the leader, and no other node can take over: none is a synchronous standby, or all have the tag nofailover"}},
		"not against a plan":                            {gate: without(one), view: planned, err: "a switchover from postgres-1 to any node is scheduled for 2026-12-01T03:00:00+00:00: wait until it has happened, or cancel it by `sudo patronictl -c /etc/patroni/conf.yml flush SCOPE switchover` on a node, with the value of patroni.scope in place of SCOPE; then the next `pulumi up` continues here"},
		"a replica, while another was never made":       {gate: without(three, synchronous, aware(one)), view: both(gone(two), recorded(one, three))},
		"a leader, while another was never made":        {gate: without(one, synchronous, aware()), view: both(gone(two), recorded(one, three), func(v *view) { v.cluster.Members[1].Role = "sync_standby" }), next: action{handOverTo: three}},
		"a replica, while another never came so far":    {gate: without(three, synchronous, aware()), view: both(starting(two), recorded(one, three), cutOff(two))},
		"a leader whose others were never made":         {gate: without(one, synchronous, early), view: both(gone(two), gone(three), recorded())},
		"a leader, while another has begun to join":     {gate: without(one, synchronous, early), view: both(starting(two), gone(three), cutOff(two), recorded()), missing: []string{"postgres-2: is not streaming: replica, state starting"}},
		"a replica, while another that was there is":    {gate: without(three, aware()), view: both(gone(two), recorded(one, two, three)), missing: []string{"postgres-2: does not answer: connection refused"}},
		"a replica, while another that it saw is gone":  {gate: without(three, aware(one, two)), view: both(gone(two), recorded(one)), missing: []string{"postgres-2: does not answer: connection refused"}},
		"a node before there is a cluster":              {gate: without(one, aware()), view: both(gone(one), gone(two), gone(three), recorded())},
		"a node of a cluster that has no leader now":    {gate: without(one, aware()), view: both(unlocked, recorded()), missing: []string{"no node is the leader"}},
		"one that is dead, of three with another dead":  {gate: without(two, synchronous), view: both(gone(two), gone(three), cutOff(two), cutOff(three))},
		"one in a crash loop, with another dead":        {gate: without(two, synchronous), view: both(starting(two), gone(three), cutOff(two), cutOff(three))},
		"one that lags and is fed, with another dead":   {gate: without(two, synchronous), view: gone(three), missing: []string{"postgres-3: does not answer: connection refused"}},
		"a leader without followers":                    {gate: without(one, synchronous), view: both(gone(two), gone(three), cutOff(two), cutOff(three)), missing: []string{"postgres-2: does not answer: connection refused", "postgres-3: does not answer: connection refused"}},
		"a leader that has left the program":            {gate: synchronous, view: leaving, next: action{handOverTo: two}},
		"one that has left with its standby":            {gate: synchronous, view: func(v *view) { v.nodes = v.nodes[2:] }, next: action{changeStandby: two}},
		"a standby that has left":                       {gate: synchronous, view: standbyLeft, next: action{changeStandby: two}},
		"a standby that has left, before one changes":   {gate: without("postgres-4", synchronous), view: both(standbyLeft, fourth), next: action{changeStandby: two}},
		"a leader whose standby has left":               {gate: without(one, synchronous), view: standbyLeft, next: action{changeStandby: two}},
		"a standby that has left and stays one":         {gate: func(g *gate) { synchronous(g); g.standbyChanges = mostRestarts }, view: standbyLeft, missing: []string{"postgres-2: was removed from the program, but is still a synchronous standby"}},
		"not against a plan, one that has left":         {gate: synchronous, view: both(leaving, planned), err: "a switchover from postgres-1 to any node is scheduled for 2026-12-01T03:00:00+00:00: wait until it has happened, or cancel it by `sudo patronictl -c /etc/patroni/conf.yml flush SCOPE switchover` on a node, with the value of patroni.scope in place of SCOPE; then the next `pulumi up` continues here"},
		"one that has left, not to one that changes":    {gate: without(two), view: both(leaving, asynchronous), next: action{handOverTo: three}},
		"one that has left, dead, keeps its lock":       {gate: all, view: both(leaving, dead(one)), missing: []string{"postgres-1: is the leader, is not one of the nodes, and does not answer: connection refused; another node takes over when the leader key in etcd expires"}},
		"a replica, whatever is planned":                {gate: without(two), view: planned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, none, lag := healthy(t), 0, defaultMaximumLag
			c.view(&v)
			g := &gate{HealthArgs: HealthArgs{Nodes: v.nodes, SynchronousStandbys: &none, MaximumLag: &lag}}
			c.gate(g)
			if g.Without != nil && v.out(*g.Without) {
				g.outSince = time.Now().Add(-time.Minute)
			}
			g.leaderlessSince = time.Now().Add(-time.Minute)
			missing, next, err := g.judge(v)
			if c.err != "" {
				assert.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, strings.Join(c.missing, "\n"), strings.Join(missing, "\n"))
			assert.Equal(t, c.next, next)
		})
	}
}
