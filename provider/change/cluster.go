package change

import (
	"context"
	"slices"
	"strings"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Cluster says what an update does to a cluster: once, for all of its machines.
type Cluster struct{}

// ClusterArgs are the inputs of a Cluster. What it keeps is what the program said when all
// machines were as it said: it is updated after them.
type ClusterArgs struct {
	Members         []string          `pulumi:"members"`
	LoadBalancers   []string          `pulumi:"loadBalancers,optional"`
	External        []string          `pulumi:"external,optional"`
	Service         string            `pulumi:"service"`
	Settings        map[string]string `pulumi:"settings"`
	SecretSettings  map[string]string `pulumi:"secretSettings" provider:"secret"`
	RestartSettings []string          `pulumi:"restartSettings,optional"`
	RestartCommand  *string           `pulumi:"restartCommand,optional"`
	LeaderFirst     map[string]string `pulumi:"leaderFirstSettings,optional"`
}

// ClusterState is what is kept of a Cluster.
type ClusterState struct{ ClusterArgs }

var (
	_ infer.CustomResource[ClusterArgs, ClusterState] = Cluster{}
	_ infer.CustomUpdate[ClusterArgs, ClusterState]   = Cluster{}
)

// InputsOnly says that nobody reads it.
func (Cluster) InputsOnly() {}

// Validate finds nothing wrong.
func (ClusterArgs) Validate() []check.Problem { return nil }

// Create says what happens to machines that were there before.
func (Cluster) Create(ctx context.Context, req infer.CreateRequest[ClusterArgs]) (infer.CreateResponse[ClusterState], error) {
	happening := noted(ctx, req.Name)
	for _, what := range happening {
		if !what.isNew {
			req.Inputs.tell(ctx, ClusterArgs{}, req.Name, happening, tense(req.DryRun))
			break
		}
	}
	return infer.CreateResponse[ClusterState]{ID: req.Name, Output: ClusterState{req.Inputs}}, nil
}

// Update says what happens.
func (Cluster) Update(ctx context.Context, req infer.UpdateRequest[ClusterArgs, ClusterState]) (infer.UpdateResponse[ClusterState], error) {
	name := called(ctx, req.ID)
	req.Inputs.tell(ctx, req.State.ClusterArgs, name, noted(ctx, name), tense(req.DryRun))
	return infer.UpdateResponse[ClusterState]{Output: ClusterState{req.Inputs}}, nil
}

// Decide has it updated also where the program is as it was and machines are not.
func (Cluster) Decide(ctx context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	return p.DiffResponse{HasChanges: len(changes)+len(noted(ctx, called(ctx, req.ID))) > 0, DetailedDiff: changes}
}

func (a ClusterArgs) settings() settings { return settings{a.Settings, a.SecretSettings} }

// lists are the names that machines have, by the inputs that have them.
func (a ClusterArgs) lists() map[string][]string {
	return map[string][]string{"members": a.Members, "nodes": a.Members, "loadBalancers": a.LoadBalancers}
}

// tell logs what happens, and warns of data that are lost.
func (a ClusterArgs) tell(ctx context.Context, before ClusterArgs, name string, happening machines, when tense) {
	happening = happening.asBefore(before)
	if warning := a.losses(before, happening, when); warning != "" {
		p.GetLogger(ctx).Warning(warning)
	}
	if bool(when) {
		for _, warning := range a.taken(before) {
			p.GetLogger(ctx).Warning(warning)
		}
	}
	warnOfAnotherKey(ctx, before.settings(), a.settings())
	warnOfEarlierDay(ctx, before.settings(), a.settings())
	if text := a.says(before, name, happening, leader(ctx, name), when); text != "" {
		p.GetLogger(ctx).Info(text)
	}
}

// says is the message of the cluster.
func (a ClusterArgs) says(before ClusterArgs, name string, happening machines, leader string, when tense) string {
	d := differences(before.settings(), a.settings(), a.lists())
	d.lines = append(d.lines, a.moved(before)...)
	var gone []string
	for _, machine := range before.machines() {
		if !slices.Contains(a.machines(), machine) {
			gone = append(gone, machine)
		}
	}
	if len(d.lines)+len(happening)+len(gone) == 0 {
		return ""
	}
	var t telling
	t.heading(name, "its machines are", d, len(gone) == 0 && happening.onlyAgain(), when)
	a.tellMachines(&t, happening, gone, when)
	t.follow(d, when)
	if bool(when) {
		t.add(1, clients{before.settings(), a.settings(), true, a.LoadBalancers}.notice()...)
	}
	r := a.restarts(before, d, leader)
	r.starts = a.startAgain(before, happening)
	a.tellRestarts(&t, r, when)
	return t.String()
}

// group are machines to which the same happens, one after the other.
type group struct{ names, lines []string }

func (a ClusterArgs) groups(happening machines, gone []string) (all []group) {
	add := func(name string, lines []string) {
		if n := len(all); n > 0 && slices.Equal(all[n-1].lines, lines) {
			all[n-1].names = append(all[n-1].names, name)
			return
		}
		all = append(all, group{[]string{name}, lines})
	}
	for _, name := range a.inOrder(happening) {
		switch what, has := happening[name]; {
		case has && what.isNew:
			add(name, []string{"a new machine"})
		case has:
			add(name, brief(what.lines))
		}
	}
	for _, name := range gone {
		add(name, []string{goes})
	}
	return all
}

// What becomes of machines that leave.
const (
	goes  = "removed from the cluster; then its machine and the volumes made for it are deleted"
	allGo = "removed from the cluster; then their machines and the volumes made for them are deleted"
)

func (a ClusterArgs) tellMachines(t *telling, happening machines, gone []string, when tense) {
	n := len(happening) + len(gone)
	if n == 0 {
		t.add(1, when.of("no machine changes", "no machine changed"))
		return
	}
	t.add(1, a.pace(n, happening.growing(), when))
	for _, g := range a.groups(happening, gone) {
		if len(g.names) > 1 && g.lines[0] == goes {
			g.lines = []string{allGo}
		}
		if len(g.lines) == 1 {
			t.add(2, few(g.names)+": "+g.lines[0])
			continue
		}
		t.add(2, few(g.names)+":")
		t.add(3, g.lines...)
	}
	if bool(when) && a.handsOver(happening) {
		t.add(1, leaders[a.Service])
	}
}

// Services whose machines have a leader.
const (
	etcdService    = "etcd.service"
	patroniService = "patroni.service"
)

// leaders say what becomes of one before its machine stops.
var leaders = map[string]string{
	etcdService:    "The member that leads moves the leadership to another one before it restarts.",
	patroniService: "The node that leads hands over before it restarts, by a switchover: clients connect again.",
}

// handsOver reports whether a machine that may lead stops for a while, with others to take over.
func (a ClusterArgs) handsOver(happening machines) bool {
	if leaders[a.Service] == "" || len(a.Members) == 1 {
		return false
	}
	return slices.ContainsFunc(a.Members, func(name string) bool {
		return slices.ContainsFunc(happening[name].lines, func(line string) bool {
			return strings.HasPrefix(line, guest.Rebuild) && !isAgain(line) || line == guest.PowerOff || line == guest.Restart+guest.PatchDay || line == guest.Restart+a.Service
		})
	})
}
