package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// untaken is after how long an order that is not there any more is given again: what Patroni says of it may be as old as that.
const untaken = 40 * time.Second

// upgrading asks for an upgrade, and waits.
type upgrading struct {
	*gate
	Upgrade
	id    string // of the order that this gate waits for
	asked time.Time
	seen  marker
	since time.Time // of the stage
}

// upgrade has the nodes do it.
func (g *gate) upgrade(ctx context.Context) error {
	u := upgrading{gate: g, Upgrade: *g.Upgrade, since: time.Now()}
	g.answered = map[string]sighting{}
	var failed error
	err := g.waits().Until(ctx, func(look context.Context) (missing string, err error) {
		missing, failed = u.step(look, ctx)
		return missing, failed
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return fmt.Errorf("%w. The nodes go on by themselves: `journalctl -u quorum-upgrade -u patroni` on them. %s", err, wait.GoesOn(err, "data"))
	}
	return nil
}

// step looks once. It says what is missing.
func (u *upgrading) step(look, ctx context.Context) (missing string, err error) {
	now, on, err := u.client.upgrade(look, u.Nodes)
	switch {
	case err != nil && u.seen.Stage != "" && !u.seen.rests():
		return u.seen.says(u.since) + "; " + err.Error(), nil
	case err != nil:
		return err.Error(), nil
	}
	if now.Stage != u.seen.Stage || now.Turn != u.seen.Turn {
		u.since = time.Now()
		if text := now.tells(); text != "" && u.id == now.ID && now.Stage != u.seen.Stage {
			p.GetLogger(ctx).Info(text)
		}
	}
	u.seen = now
	switch {
	case !now.rests() && (u.id != "" && now.ID == u.id || now.is(u.Upgrade)): // perhaps of an update that was killed
		u.id = now.ID
		return now.says(u.since), nil
	case u.id != "" && now.ID == u.id:
		return "", u.ends(ctx, now)
	case !now.rests() && !u.givesUp(now):
		return "", u.refused(now, "")
	case u.id == "" && now.asked.is(u.Upgrade):
		u.id, u.asked = now.asked.ID, time.Now()
	}
	if u.id != "" && (now.asked.ID == u.id || time.Since(u.asked) < untaken) {
		return "the upgrade is asked for: the leader has yet to take it up", nil
	}
	return u.ask(look, ctx, on)
}

// ask asks for what is due.
func (u *upgrading) ask(look, ctx context.Context, on Node) (missing string, err error) {
	asks, err := u.due(ctx, u.client.major(look, u.Nodes))
	if err == nil && !asks && u.seen.asked.ID != "" { // by an update before that
		err = u.client.patch(look, on, map[string]any{orderKey: nil})
	}
	if err != nil || !asks {
		return "", err
	}
	o := order{ID: strconv.FormatInt(time.Now().UnixNano(), 36), From: u.From, To: u.To, Action: u.Action, WithoutBackup: ptr.Value(u.WithoutBackup), At: time.Now().Unix()}
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("marshal what nodes are asked for: %w", err)
	}
	if err := u.client.patch(look, on, map[string]any{orderKey: string(text)}); err != nil {
		return on.Name + ": was not asked for the upgrade: " + err.Error(), nil
	}
	u.id, u.asked = o.ID, time.Now()
	return "the upgrade was asked for just now", nil
}

// major is the version that leads, if somebody says it.
func (c client) major(ctx context.Context, nodes []Node) string {
	v := c.look(ctx, nodes)
	if is := v.answers[v.holder()]; is.err == nil && is.Version > 0 {
		return strconv.Itoa(is.Version / 10000)
	}
	return ""
}

// due says whether there is something to ask for, of a cluster with a major version.
func (u *upgrading) due(ctx context.Context, major string) (bool, error) {
	err := u.refused(u.seen, major)
	asks := err == nil && u.asks(u.seen, major)
	if err == nil && !asks && u.Action == UpgradeRevert && u.stage(u.seen) != stageReverted {
		p.GetLogger(ctx).Infof("no upgrade from %s to %s was made: there is nothing to go back from", u.From, u.To)
	}
	return asks, err
}

// ends tells what came of it.
func (u *upgrading) ends(ctx context.Context, now marker) error {
	if len(now.Problems) > 0 {
		text := fmt.Sprintf("PostgreSQL %s cannot be upgraded to %s yet; it runs as before:", u.From, u.To)
		if u.Action == UpgradeRevert {
			text = fmt.Sprintf("PostgreSQL %s could not be brought back to %s; it runs as before:", u.To, u.From)
		}
		return errors.New(text + "\n- " + strings.Join(now.Problems, "\n- "))
	}
	text := u.came(now)
	for _, note := range now.Notes {
		if now.Stage == stageChecked || now.Stage == stageDone {
			text += "\n- " + note
		}
	}
	p.GetLogger(ctx).Info(text)
	if text := now.warns(nodeNames(u.Nodes), false); now.Stage == stageFinished && text != "" {
		p.GetLogger(ctx).Warning("upgrade.finish: " + text)
	}
	return nil
}
