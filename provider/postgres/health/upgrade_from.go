package health

import (
	"context"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/admin"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/bluegreen"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
	run "github.com/pulumi-quorum/pulumi-quorum/provider/running"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// UpgradeFrom is a cluster that another one is filled from, and that one.
type UpgradeFrom struct {
	Source admin.Connection `pulumi:"source"`
	Target admin.Connection `pulumi:"target"`
}

// identity are the files that nodes have; tests have others.
var identity = patroni.Identity

// pair is both, for nodes that have the usual files.
func (u UpgradeFrom) pair() bluegreen.Pair {
	pair := bluegreen.Pair{Source: u.Source, Target: u.Target}
	pair.CAFile, pair.CertFile, pair.KeyFile = identity()
	return pair
}

// of says what the source is, for people.
func (u UpgradeFrom) of() string { return strings.Join(u.Source.Endpoints, ", ") }

// known reports whether a preview knows how to reach the source.
func (u UpgradeFrom) known() bool {
	return len(u.Source.Endpoints) > 0 && u.Source.CACert != "" && u.Source.Password != nil && *u.Source.Password != "" && u.Source.ClientCert != nil && *u.Source.ClientCert != ""
}

// comesFrom has a gate do what it is for: that of the plan looks at the source, before anything is made; the other one has
// this cluster filled.
func (a HealthArgs) comesFrom(ctx context.Context, preview bool) error {
	switch {
	case a.Plan != nil:
		return a.looksAtSource(ctx, preview, false)
	case preview:
		return nil
	}
	g := &gate{HealthArgs: a, limit: limit, answered: map[string]sighting{}}
	f := feed(ctx, a.UpgradeFrom.pair())
	if err := g.fills(ctx, &f); err != nil {
		return err
	}
	p.GetLogger(ctx).Infof("filled: this cluster has all that %s has (%s), and follows it. It refuses writes until upgradeFrom is taken out of the program", a.UpgradeFrom.of(), size(f.Found.Bytes))
	return nil
}

// feed is that of a pair, which tells the log of this resource.
func feed(ctx context.Context, pair bluegreen.Pair) bluegreen.Feed {
	return bluegreen.Feed{Pair: pair, Say: func(line string) { p.GetLogger(ctx).Info(line) }, Show: func(line string) { p.GetLogger(ctx).InfoStatus("waiting: " + line) }}
}

// fills waits until the target has all, and does what is due for that.
func (g *gate) fills(ctx context.Context, f *bluegreen.Feed) error {
	var failed error
	err := g.waits().Until(ctx, func(context.Context) (missing string, err error) {
		bounded, cancel := context.WithTimeout(ctx, bluegreen.Much) // the schema, and statistics, take longer than a look
		defer cancel()
		missing, failed = f.Step(bounded)
		return missing, failed
	})
	switch {
	case failed != nil:
		return fmt.Errorf("this cluster cannot be filled from its source yet:\n- %w", failed)
	case err != nil:
		return fmt.Errorf("%w. PostgreSQL goes on with the copy by itself. %s", err, wait.GoesOn(err, "data"))
	}
	return nil
}

// cutOver has this cluster take the place of the one that it was filled from. A preview says so.
func (a HealthArgs) cutOver(ctx context.Context, before UpgradeFrom, preview bool) error {
	pair := before.pair()
	begun, open, err := pair.Begun(ctx)
	switch {
	case preview:
		a.tellCutOver(ctx, before, begun, open, err)
		return nil
	case err != nil:
		return fmt.Errorf("cutover: %w", err)
	case !begun:
		p.GetLogger(ctx).Warningf("this cluster was filled with nothing of %s, or all of it is done: upgradeFrom is taken out, and nothing else", before.of())
		return nil
	case open: // clients wait for the same words
		p.GetLogger(ctx).Info("cut over: this cluster takes writes, since an update before this one, which was cut short")
	default:
		if err := a.takesPlace(ctx, pair); err != nil {
			return err
		}
	}
	left, err := pair.Clear(ctx)
	if left != nil {
		p.GetLogger(ctx).Warningf("the source does not answer (%s). Should it come back, on the leader there: %s", left, leftAtSource)
	}
	if err != nil {
		return fmt.Errorf("this cluster has taken the place of its source, and takes writes; what the copy has left could not be removed, which the next `pulumi up` tries again: %w", err)
	}
	return nil
}

func (a HealthArgs) takesPlace(ctx context.Context, pair bluegreen.Pair) error {
	g := &gate{HealthArgs: a, limit: limit, answered: map[string]sighting{}}
	c := bluegreen.CutOver{Feed: feed(ctx, pair)}
	if err := g.fills(ctx, &c.Feed); err != nil {
		return fmt.Errorf("nothing was cut over: %w", err)
	}
	err := c.Run(ctx)
	switch at := c.Fenced(); {
	case err == nil:
		return nil
	case at == "" && c.Remains:
		return fmt.Errorf("nothing was cut over: %w. A node of the source that did not answer, or led before, may refuse them still when it comes to lead: on every node of it: %s", err, reset)
	case at == "":
		return fmt.Errorf("nothing was cut over: %w", err)
	default:
		return fmt.Errorf("this cluster could not take the place of its source: %w. The source, at %s, refuses writes. Run `pulumi up` again to go on; or, to go back to it, put upgradeFrom back, and on every node of it: %s", err, at, reset)
	}
}

// tellCutOver warns of what a cutover does.
func (a HealthArgs) tellCutOver(ctx context.Context, before UpgradeFrom, begun, open bool, err error) {
	if err == nil && !begun || open {
		return
	}
	text := "cutover: upgradeFrom is taken out, so that this update has the cluster take the place of " + before.of() + ". Before all else it waits until it has everything; then the source refuses writes (default_transaction_read_only), and its sessions end; " +
		"this cluster gets what was written last, and the numbers of sequences, and takes writes: in between, for about a second, nobody does. Have clients connect to its primaryEndpoints as soon as the update says `cut over`."
	if now, err := before.Source.Primary(ctx, ""); err != nil {
		text += " The source does not answer from here, without which nothing is cut over: " + err.Error()
	} else {
		text += " The source answers at " + now.At
		if waits := lags(ctx, before.pair()); waits != "" {
			text += ". Before all that, it has to wait:" + waits
		}
	}
	p.GetLogger(ctx).Warning(text)
}

// upgradeFromAdded refuses to fill a cluster that was made without it.
func (a HealthArgs) upgradeFromAdded(before HealthArgs) string {
	if a.UpgradeFrom == nil || before.UpgradeFrom != nil {
		return ""
	}
	return "must not be given to a cluster that was made without it: it has data of its own, and takes writes. Make another cluster with it: see docs/upgrade.md"
}

// leftAtSource are the statements that remove what a copy has left.
const leftAtSource = "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE 'quorum_upgrade_%' AND NOT active; and in each database: DROP PUBLICATION IF EXISTS quorum_upgrade"

// leftAlone is how long is tried to clear away what a copy has left, when a cluster is destroyed.
const leftAlone = 30 * time.Second

// Delete takes what a copy has left away from its source, if the cluster goes without having taken that one's place.
func (Health) Delete(ctx context.Context, req infer.DeleteRequest[HealthState]) (infer.DeleteResponse, error) {
	of := req.State.UpgradeFrom
	if of == nil || len(req.State.Triggers) == 0 { // or the gate of the plan, which goes when the machines are gone
		return infer.DeleteResponse{}, nil
	}
	bounded, cancel := context.WithTimeout(ctx, leftAlone)
	defer cancel()
	begun, open, err := of.pair().Begun(bounded)
	if err == nil && !begun {
		return infer.DeleteResponse{}, nil
	}
	if err == nil && (open || !run.Program(ctx)) {
		var left error
		if left, err = of.pair().Clear(bounded); err == nil {
			err = left
		}
	} else if err == nil {
		err = fmt.Errorf("this cluster has not taken its place")
	}
	if err != nil {
		p.GetLogger(ctx).Warningf("%s may retain WAL for this cluster, up to max_slot_wal_keep_size: %s. If the cluster is to go, on the leader there: %s", of.of(), err, leftAtSource)
	}
	return infer.DeleteResponse{}, nil
}
