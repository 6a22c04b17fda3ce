package health

import (
	"cmp"
	"context"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// Restoration decides whether a cluster is to be founded from a backup, and gives that an id,
// so that it is done once: what etcd knows of a cluster that was lost is forgotten then.
type Restoration struct{}

// RestorationArgs are the inputs of a Restoration.
type RestorationArgs struct {
	Nodes            []Node   `pulumi:"nodes"`
	CACert           string   `pulumi:"caCert"`
	ClientCert       string   `pulumi:"clientCert"`
	ClientKey        string   `pulumi:"clientKey" provider:"secret"`
	Source           string   `pulumi:"source"`
	About            *string  `pulumi:"about,optional"`
	Content          *string  `pulumi:"content,optional"`
	Instances        []string `pulumi:"instances,optional"`
	SkipHealthChecks *bool    `pulumi:"skipHealthChecks,optional"`
}

// RestorationState is what is kept of a Restoration.
type RestorationState struct {
	RestorationArgs

	Restoration string `pulumi:"restoration"`
}

var (
	_ infer.CustomResource[RestorationArgs, RestorationState] = Restoration{}
	_ infer.CustomUpdate[RestorationArgs, RestorationState]   = Restoration{}
	_ infer.Annotated                                         = (*Restoration)(nil)
	_ infer.Annotated                                         = (*RestorationArgs)(nil)
	_ infer.Annotated                                         = (*RestorationState)(nil)
)

// Validate returns what is wrong with a.
func (a RestorationArgs) Validate() []check.Problem {
	var l check.List
	l.Required("nodes", a.Nodes)
	l.Required("source", a.Source)
	return l
}

// Create decides.
func (Restoration) Create(ctx context.Context, req infer.CreateRequest[RestorationArgs]) (infer.CreateResponse[RestorationState], error) {
	made := infer.CreateResponse[RestorationState]{ID: req.Name, Output: RestorationState{RestorationArgs: req.Inputs}}
	return made, made.Output.decide(ctx, req.DryRun)
}

// Update decides again where another backup is named, and not otherwise.
func (Restoration) Update(ctx context.Context, req infer.UpdateRequest[RestorationArgs, RestorationState]) (infer.UpdateResponse[RestorationState], error) {
	made := infer.UpdateResponse[RestorationState]{Output: RestorationState{req.Inputs, req.State.Restoration}}
	if text := req.Inputs.reachesNobody(req.State.RestorationArgs); text != "" {
		if name, err := req.Inputs.withData(ctx, false); name == "" && err == nil { // in a preview, certificates may be unknown
			p.GetLogger(ctx).Warning(text)
		}
	}
	if req.Inputs.Source == req.State.Source {
		return made, nil
	}
	return made, made.Output.decide(ctx, req.DryRun)
}

// WireDependencies has previews know the id of a decision that stands.
func (Restoration) WireDependencies(f infer.FieldSelector, a *RestorationArgs, s *RestorationState) {
	if a.Source == s.Source {
		f.OutputField(&s.Restoration).AlwaysKnown()
	}
}

// decide gives an id unless a node has data, or leaves none. A preview tells what it sees.
func (s *RestorationState) decide(ctx context.Context, preview bool) error {
	s.Restoration = ""
	name, err := s.withData(ctx, !preview)
	if err != nil && !preview { // in a preview, certificates may be unknown
		return err
	}
	if name != "" {
		p.GetLogger(ctx).Warningf("restore: %s has data, so that it has no effect: a cluster is founded from a backup only while no node has data. Remove it", name)
		return nil
	}
	text := "restore: this update founds the cluster from " + cmp.Or(ptr.Value(s.About), "a backup") // in a preview, it may be unknown
	if preview {
		p.GetLogger(ctx).Warning(text + ". It has no effect if a node has data")
		return nil
	}
	p.GetLogger(ctx).Warning(text)
	s.Restoration = time.Now().UTC().Format("20060102T150405Z")
	return nil
}

// withData is a node that has data, or "". Nodes that do not answer may just start again: for a decision
// they are asked for a while.
func (a RestorationArgs) withData(ctx context.Context, decides bool) (name string, err error) {
	if ptr.Value(a.SkipHealthChecks) {
		return "", nil
	}
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return "", err
	}
	wait.Again(ctx, func() bool {
		silent := false
		for of, answer := range c.look(ctx, a.Nodes).answers {
			silent = silent || answer.err != nil
			if answer.err == nil && answer.SystemID != "" {
				name = of
			}
		}
		return decides && silent && name == ""
	})
	return name, nil
}

// reachesNobody is what is said of a change that instances of OpenStack, which are handed what they
// read once, know nothing of. They are no reason to make another one: most changes come too late.
func (a RestorationArgs) reachesNobody(before RestorationArgs) string {
	if before.Content == nil || a.Content == nil || *before.Content == *a.Content || len(a.Instances) == 0 {
		return ""
	}
	return "restore: no node has data, and instances that are there keep the former one. To hand them this one: pulumi up --replace '**::" +
		strings.Join(a.Instances, "' --replace '**::") + "'"
}

// Annotate describes r.
func (r *Restoration) Annotate(a infer.Annotator) {
	a.SetToken("index", "PostgresRestoration")
	a.Describe(&r, "Decides whether a PostgresCluster is founded from a backup. PostgresCluster creates it with `restore`, and passes its id to the nodes: one without data then has etcd forget that the cluster was initialized before, once. While a node has data there is no id, and `restore` has no effect.")
}

// Annotate describes r.
func (r *RestorationArgs) Annotate(a infer.Annotator) {
	a.Describe(&r.Nodes, "The nodes of the cluster.")
	a.Describe(&r.CACert, "Certificate, PEM, of the authority that signed the nodes' certificates.")
	a.Describe(&r.ClientCert, "Certificate, PEM, of a client of Patroni's API.")
	a.Describe(&r.ClientKey, "Private key of `clientCert`, PEM.")
	a.Describe(&r.Source, "Names the backup that the cluster is to be founded from. When it changes, the resource decides again.")
	a.Describe(&r.About, "What the update says of the backup: where it is, and up to where it is restored.")
	a.Describe(&r.Content, "A text that changes with all of the backup's settings, and with its keys.")
	a.Describe(&r.Instances, "Names of the nodes' instances on OpenStack. When `content` changes while no node has data, a warning says how these are made anew.")
	a.Describe(&r.SkipHealthChecks, "Whether to decide without asking the nodes.")
	a.SetDefault(&r.SkipHealthChecks, false)
}

// Annotate describes s.
func (s *RestorationState) Annotate(a infer.Annotator) {
	a.Describe(&s.Restoration, "Id of the restoration: the time of the decision. Empty if a node had data.")
}
