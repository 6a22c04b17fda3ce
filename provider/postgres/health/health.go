package health

import (
	"context"
	"maps"
	"slices"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
)

// Health is a gate: its creation or update ends once the cluster is as its
// inputs require. The guards of the same cluster use its inputs, too.
type Health struct{}

// HealthArgs are the inputs of a Health.
type HealthArgs struct {
	Nodes               []Node            `pulumi:"nodes"`
	CACert              string            `pulumi:"caCert"`
	ClientCert          string            `pulumi:"clientCert"`
	ClientKey           string            `pulumi:"clientKey" provider:"secret"`
	Without             *string           `pulumi:"without,optional"`
	Candidates          []string          `pulumi:"candidates,optional"`
	Node                *string           `pulumi:"node,optional"`
	SynchronousStandbys *int              `pulumi:"synchronousStandbys,optional"`
	MaximumLag          *int              `pulumi:"maximumLag,optional"`
	LoadBalancers       []LoadBalancer    `pulumi:"loadBalancers,optional"`
	OtherLoadBalancers  []LoadBalancer    `pulumi:"otherLoadBalancers,optional"`
	Plan                *Plan             `pulumi:"plan,optional"`
	Passwords           *string           `pulumi:"passwords,optional" provider:"secret"`
	Triggers            map[string]string `pulumi:"triggers,optional"`
	SkipHealthChecks    *bool             `pulumi:"skipHealthChecks,optional"`
	AllowDataLoss       *bool             `pulumi:"allowDataLoss,optional"`
	ApplyRestarts       *bool             `pulumi:"applyPendingRestarts,optional"`
	BackupStanza        *string           `pulumi:"backupStanza,optional"`
	BackupID            *string           `pulumi:"backupId,optional"`
	EncryptionKeyGiven  *bool             `pulumi:"encryptionKeyGiven,optional"`
	StandbyOf           *string           `pulumi:"standbyOf,optional" json:"standbyOf,omitempty"`
	StandbyBy           []string          `pulumi:"standbyBy,optional" json:"standbyBy,omitempty"`
	Upgrade             *Upgrade          `pulumi:"upgrade,optional"`
	SuperuserPassword   *string           `pulumi:"superuserPassword,optional" provider:"secret"`
	ReindexCollations   *bool             `pulumi:"reindexCollations,optional"`

	Source *admin.Connection `pulumi:"source,optional"`

	UpgradeFrom *UpgradeFrom `pulumi:"upgradeFrom,optional" json:"upgradeFrom,omitempty"`
}

// Node is a node of a cluster, and where its Patroni answers.
type Node struct {
	Name       string  `pulumi:"name"`
	IP         string  `pulumi:"ip"`
	APIPort    *int    `pulumi:"apiPort,optional"`
	Generation *string `pulumi:"generation,optional"`
	Restarts   *string `pulumi:"restarts,optional"`
	External   *bool   `pulumi:"external,optional" json:"external,omitempty"`
}

// LoadBalancer is where the clients of a cluster connect.
type LoadBalancer struct {
	Endpoint        string  `pulumi:"endpoint"`
	ReplicaEndpoint string  `pulumi:"replicaEndpoint"`
	Generation      *string `pulumi:"generation,optional"`
	External        *bool   `pulumi:"external,optional" json:"external,omitempty"`
}

// HealthState is what a Health saw last, with its inputs at that time.
type HealthState struct {
	Nodes    []Node            `pulumi:"nodes"`
	Others   []LoadBalancer    `pulumi:"otherLoadBalancers,optional"`
	Triggers map[string]string `pulumi:"triggers,optional"`
	Leader   string            `pulumi:"leader"`
	Members  []string          `pulumi:"members"`
	Joined   []string          `pulumi:"joined,optional"`
	Leaving  []Node            `pulumi:"leaving,optional"`
	Timeline int               `pulumi:"timeline"`
	SystemID string            `pulumi:"systemId"`

	StandbyOf   *string           `pulumi:"standbyOf,optional"`
	Source      *admin.Connection `pulumi:"source,optional"`
	FreeStanza  *string           `pulumi:"freeStanza,optional"`
	BackupTimes map[string]string `pulumi:"backupTimes,optional"`
	UpgradeFrom *UpgradeFrom      `pulumi:"upgradeFrom,optional"`
}

var (
	_ infer.CustomResource[HealthArgs, HealthState] = Health{}
	_ infer.CustomUpdate[HealthArgs, HealthState]   = Health{}
	_ infer.CustomRead[HealthArgs, HealthState]     = Health{}
	_ infer.CustomDelete[HealthState]               = Health{}
)

// Create waits, but not for what may not exist yet: a gate of one node passes
// while the others have no leader, and a gate before the change of a load
// balancer passes at once.
func (Health) Create(ctx context.Context, req infer.CreateRequest[HealthArgs]) (infer.CreateResponse[HealthState], error) {
	made := infer.CreateResponse[HealthState]{ID: req.Name, Output: req.Inputs.state()}
	if req.Inputs.Plan != nil {
		if err := req.Inputs.foresee(ctx, &made.Output, HealthState{}, req.DryRun); err != nil {
			return made, err
		}
	}
	if req.Inputs.Upgrade != nil {
		return made, req.Inputs.upgrades(ctx, HealthState{}, req.DryRun)
	}
	if req.Inputs.UpgradeFrom != nil {
		err := req.Inputs.comesFrom(ctx, req.DryRun)
		if err != nil && req.Inputs.Plan == nil {
			err = savedError{err} // when it is deleted, it clears away what it has made at the source
		}
		return made, err
	}
	g, err := newGate(ctx, req.Inputs, HealthState{}, req.DryRun)
	if err != nil || g == nil || g.OtherLoadBalancers != nil {
		return made, err
	}
	if g.makes = g.isBeforeMachine(); g.other() != nil && !g.hasExternal() && g.othersHaveNoLeader(ctx) {
		return made, g.isOutOfTheWay(ctx)
	}
	if made.Output, err = g.wait(ctx); err != nil {
		made.Output, err = g.failedState(err)
		return made, err
	}
	g.tellHowToReach(ctx, made.ID, made.Output)
	return made, nil
}

// Update waits, unless the gate is before a change that this update does not
// make.
func (Health) Update(ctx context.Context, req infer.UpdateRequest[HealthArgs, HealthState]) (infer.UpdateResponse[HealthState], error) {
	made := infer.UpdateResponse[HealthState]{Output: req.Inputs.state()}
	if req.Inputs.Plan != nil {
		req.Inputs.warnOfAuthority(ctx)
		err := req.Inputs.keepsFormer(ctx, req.State)
		if err == nil {
			err = req.Inputs.endsUpgrade(ctx, req.State)
		}
		if err == nil {
			err = req.Inputs.stepsOn(ctx, req.State, req.DryRun)
		}
		if err != nil {
			return made, err
		}
		if made.Output.Leaving, err = req.Inputs.leaving(ctx, req.State); err == nil && req.Inputs.promotes(req.State) {
			err = req.Inputs.promote(ctx, req.State, req.DryRun)
		}
		if err == nil && req.State.UpgradeFrom != nil && req.Inputs.UpgradeFrom == nil {
			err = req.Inputs.cutOver(ctx, *req.State.UpgradeFrom, req.DryRun)
		}
		if err == nil && req.Inputs.UpgradeFrom != nil {
			err = req.Inputs.looksAgain(ctx, req.DryRun)
		}
		if err == nil {
			err = req.Inputs.foresee(ctx, &made.Output, req.State, req.DryRun)
		}
		return made, err
	}
	if req.Inputs.Upgrade != nil {
		return made, req.Inputs.upgrades(ctx, req.State, req.DryRun)
	}
	if req.Inputs.UpgradeFrom != nil {
		return made, req.Inputs.comesFrom(ctx, req.DryRun)
	}
	if req.Inputs.isBefore() && len(req.State.Nodes) > 0 && maps.EqualFunc(req.State.Triggers, req.Inputs.Triggers, guest.Unchanged) { // else it failed
		saw := req.State
		made.Output.Leader, made.Output.Timeline = saw.Leader, saw.Timeline
		if req.Inputs.keepsCluster(saw) {
			made.Output.SystemID = saw.SystemID
		}
		made.Output.Joined = saw.stayed(req.Inputs.Nodes)
		made.Output.Members = append(made.Output.Members, saw.Members...) // never nil, which would be no list
		return made, nil
	}
	g, err := newGate(ctx, req.Inputs, req.State, req.DryRun)
	if err != nil || g == nil {
		now, earlier := req.Inputs.left(req.State)
		made.Output.Leaving = append(now, earlier...)
		if req.DryRun && req.Inputs.keepsCluster(req.State) {
			made.Output.SystemID = req.State.SystemID
		}
		return made, err
	}
	g.makes = g.isBeforeMachine() && len(req.State.Nodes) == 0
	if made.Output, err = g.wait(ctx); err == nil && g.isOfAll() {
		if made.Output.Leaving, err = g.checkLeaving(ctx); err == nil {
			g.tellHowToReach(ctx, req.ID, made.Output)
		}
	}
	return made, err
}

// WireDependencies makes previews know the system id, which another look does
// not change.
func (Health) WireDependencies(f infer.FieldSelector, a *HealthArgs, s *HealthState) {
	if s.SystemID != "" && a.Triggers[UpgradeTrigger] == s.Triggers[UpgradeTrigger] {
		f.OutputField(&s.SystemID).AlwaysKnown()
	}
}

// keepsCluster reports whether this is the cluster of before: else it may be another from now on.
func (a HealthArgs) keepsCluster(before HealthState) bool {
	return !*a.SkipHealthChecks && !a.beginsAgain(before.Nodes)
}

// isBefore reports whether something is about to change.
func (a HealthArgs) isBefore() bool { return a.Without != nil || a.OtherLoadBalancers != nil }

// state is that of a gate that has seen nothing.
func (a HealthArgs) state() HealthState {
	others := a.OtherLoadBalancers
	if a.Plan != nil {
		others = a.Plan.LoadBalancers
	}
	return HealthState{Nodes: a.Nodes, Others: others, Triggers: a.Triggers, StandbyOf: a.StandbyOf, Source: a.Source, UpgradeFrom: a.UpgradeFrom, Members: []string{}, Joined: []string{}}
}

// stayed are those of nodes that were in the cluster. If a version that did not
// record them wrote the state, these are all nodes of the state.
func (s HealthState) stayed(nodes []Node) []string {
	was, names := s.Joined, []string{}
	if was == nil && s.SystemID != "" { // else it saw nothing
		was = nodeNames(s.Nodes)
	}
	for _, n := range nodes {
		if slices.Contains(was, n.Name) {
			names = append(names, n.Name)
		}
	}
	return names
}

// newGate is nil if there is nothing to wait for.
func newGate(ctx context.Context, a HealthArgs, old HealthState, preview bool) (*gate, error) {
	if preview || a.Plan != nil {
		return nil, nil
	}
	if *a.SkipHealthChecks {
		p.GetLogger(ctx).Warning("skipHealthChecks is on: no health check was made")
		return nil, nil
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return nil, err
	}
	return &gate{HealthArgs: a, old: old, client: c, limit: limit}, nil
}
