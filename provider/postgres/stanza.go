package postgres

import (
	"context"
	"crypto/rand"
	"encoding/hex"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guard"
)

// Stanza is the resource that makes the name that a cluster has in the repository of its
// backups: once, and again when it is to be founded from the backups of that name. A cluster
// never writes into its source's.
type Stanza struct{}

// StanzaArgs are the inputs of a Stanza.
type StanzaArgs struct {
	Scope  string  `pulumi:"scope"`
	Source *string `pulumi:"source,optional"`
}

// StanzaState is what is kept of a Stanza.
type StanzaState struct {
	StanzaArgs

	Stanza string `pulumi:"stanza"`
}

var (
	_ infer.CustomResource[StanzaArgs, StanzaState] = Stanza{}
	_ infer.CustomUpdate[StanzaArgs, StanzaState]   = Stanza{}
	_ infer.Annotated                               = (*Stanza)(nil)
	_ infer.Annotated                               = (*StanzaArgs)(nil)
	_ infer.Annotated                               = (*StanzaState)(nil)
)

// Validate returns what is wrong with a.
func (a StanzaArgs) Validate() []check.Problem {
	var l check.List
	l.Required("scope", a.Scope)
	return l
}

// Create makes a name.
func (Stanza) Create(_ context.Context, req infer.CreateRequest[StanzaArgs]) (infer.CreateResponse[StanzaState], error) {
	made := infer.CreateResponse[StanzaState]{ID: req.Name, Output: StanzaState{StanzaArgs: req.Inputs}}
	if !req.DryRun {
		made.Output.Stanza = req.Inputs.name()
	}
	return made, nil
}

// Decide finds a change only where the cluster's own backups become its source.
func (Stanza) Decide(_ context.Context, req p.DiffRequest, changes map[string]p.PropertyDiff) p.DiffResponse {
	if guard.Text(req.Inputs.Get("source")) != guard.Text(req.State.Get("stanza")) {
		return p.DiffResponse{}
	}
	return p.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes}
}

// Update makes another name.
func (Stanza) Update(ctx context.Context, req infer.UpdateRequest[StanzaArgs, StanzaState]) (infer.UpdateResponse[StanzaState], error) {
	made := infer.UpdateResponse[StanzaState]{Output: StanzaState{req.Inputs, req.State.Stanza}}
	if req.Inputs.isOwn(req.State) {
		p.GetLogger(ctx).Info("the cluster is to be founded from its own backups, and will have another stanza from then on")
		if made.Output.Stanza = ""; !req.DryRun {
			made.Output.Stanza = req.Inputs.name()
		}
	}
	return made, nil
}

func (a StanzaArgs) isOwn(before StanzaState) bool {
	return a.Source != nil && *a.Source == before.Stanza
}

func (a StanzaArgs) name() string {
	random := make([]byte, 4)
	_, _ = rand.Read(random) // it never fails
	return a.Scope + "-" + hex.EncodeToString(random)
}

// Annotate describes s.
func (s *Stanza) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresStanza")
	a.Describe(&s, "The name of a PostgresCluster in the repository of its backups, when none is given. It is made once, and another one when the cluster is to be restored from its own backups, as after the loss of a site: the restored cluster must not write among those.")
}

// Annotate describes a.
func (s *StanzaArgs) Annotate(a infer.Annotator) {
	a.Describe(&s.Scope, "Patroni's `scope`, which the name begins with.")
	a.Describe(&s.Source, "The stanza that the cluster is to be restored from.")
}

// Annotate describes s.
func (s *StanzaState) Annotate(a infer.Annotator) {
	a.Describe(&s.Stanza, "The name, such as main-5f2c91aa.")
}
