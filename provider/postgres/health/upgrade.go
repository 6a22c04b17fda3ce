package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// PostgreSQL's major upgrade is done by the nodes themselves (package upgrade): nobody answers while all of them are
// stopped, and whoever asked for it may be killed. A gate asks for it, tells how far it is, and ends with what was found.
// All that they say to each other stands in one text among the settings of Patroni.

// upgradeKey is its key there.
const upgradeKey = "quorum_upgrade"

// Upgrade is what a cluster is asked for.
type Upgrade struct {
	From          string        `pulumi:"from"`
	To            string        `pulumi:"to"`
	Action        UpgradeAction `pulumi:"action"`
	WithoutBackup *bool         `pulumi:"withoutBackup,optional"`
}

// UpgradeAction is what of it.
type UpgradeAction string

// The actions.
const (
	UpgradeCheck  UpgradeAction = "check"
	UpgradeRun    UpgradeAction = "run"
	UpgradeRevert UpgradeAction = "revert"
	UpgradeFinish UpgradeAction = "finish"
)

// validate returns what is wrong with u.
func (u Upgrade) validate() check.List {
	var l check.List
	l.Required("from", u.From)
	l.Required("to", u.To)
	if actions := []UpgradeAction{UpgradeCheck, UpgradeRun, UpgradeRevert, UpgradeFinish}; !slices.Contains(actions, u.Action) {
		l.Add("action", "must be check, run, revert or finish, not %s", check.Quote(string(u.Action)))
	}
	return l
}

// marker is how far nodes are.
type marker struct {
	ID       string        `json:"id"`
	From     string        `json:"from"`
	To       string        `json:"to"`
	Action   UpgradeAction `json:"action"`
	Stage    string        `json:"stage"`
	Leader   string        `json:"leader"`
	Base     string        `json:"base"`
	Keeper   string        `json:"keeper"`
	Turn     string        `json:"turn"`
	Problems []string      `json:"problems"`
	Notes    []string      `json:"notes"`
	Skipped  []string      `json:"skipped"`
	Bytes    int64         `json:"bytes"`

	text string
}

// The stages in which nothing is under way.
const (
	stageChecked  = "checked"
	stageRefused  = "refused"
	stageDone     = "done"
	stageReverted = "reverted"
	stageFinished = "finished"
)

func (m marker) rests() bool {
	return slices.Contains([]string{"", stageChecked, stageRefused, stageDone, stageReverted, stageFinished}, m.Stage)
}

func (m marker) isOf(u Upgrade) bool { return m.From == u.From && m.To == u.To }

// upgrading asks for an upgrade, and waits.
type upgrading struct {
	*gate
	Upgrade
	joined bool // what is under way is what this gate is for
	seen   marker
	since  time.Time // of the stage
}

// UpgradeTrigger names the trigger of a gate that changes with the upgrade before it.
const UpgradeTrigger = "upgrade"

// upgrades has a gate do what it is for.
func (a HealthArgs) upgrades(ctx context.Context, before HealthState, preview bool) error {
	if preview {
		a.tellUpgrade(ctx)
		return nil
	}
	g, err := newGate(ctx, a, before, false)
	if err != nil || g == nil {
		return err
	}
	return g.upgrade(ctx)
}

// upgrade has the nodes do it.
func (g *gate) upgrade(ctx context.Context) error {
	u := upgrading{gate: g, Upgrade: *g.HealthArgs.Upgrade, since: time.Now()}
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
		return fmt.Errorf("%w. The nodes go on by themselves: `journalctl -u quorum-upgrade -u patroni` on them. %s", err, wait.GoesOn(err, "the upgrade"))
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
		if text := now.tells(); text != "" && u.joined && now.Stage != u.seen.Stage {
			p.GetLogger(ctx).Info(text)
		}
	}
	u.seen = now
	switch {
	case u.joined && now.rests():
		return "", u.ends(ctx, now)
	case now.isOf(u.Upgrade) && now.Action == u.Action && !now.rests():
		u.joined = true
		return now.says(u.since), nil
	case u.joined || !now.rests():
		return "", fmt.Errorf("another upgrade of the cluster is under way: %s from %s to %s, %s. Have the program as it was when that began, until it is done", now.Action, now.From, now.To, now.Stage)
	}
	asks, err := u.due(now)
	if err != nil || !asks {
		return "", err
	}
	if err := u.client.patch(look, on, map[string]any{upgradeKey: u.order(now)}); err != nil {
		return on.Name + ": was not asked for the upgrade: " + err.Error(), nil
	}
	u.joined = true
	return "the upgrade was asked for just now", nil
}

// due says whether there is something to ask for.
func (u *upgrading) due(now marker) (bool, error) {
	same, after := now.isOf(u.Upgrade), now.Stage == stageDone
	switch u.Action {
	case UpgradeCheck, UpgradeRun:
		is := same && (after || now.Stage == stageFinished)
		if is && u.Action == UpgradeCheck {
			return false, fmt.Errorf("the data are of PostgreSQL %s already: there is nothing to check. Go on with upgrade.finish, or back with upgrade.revert", u.To)
		}
		return !is, nil
	case UpgradeRevert:
		if same && (now.Stage == stageReverted || now.Stage == stageRefused) {
			return false, nil // nothing was changed
		}
	case UpgradeFinish:
		if same && now.Stage == stageFinished {
			return false, nil
		}
	}
	if !same || !after {
		return false, fmt.Errorf("there is nothing to %s: no upgrade from %s to %s was made that is not finished", u.Action, u.From, u.To)
	}
	return true, nil
}

// order is the text that asks. What nodes know of an upgrade that was made stays.
func (u *upgrading) order(now marker) string {
	all := map[string]any{}
	if u.Action == UpgradeRevert || u.Action == UpgradeFinish {
		_ = json.Unmarshal([]byte(now.text), &all) // it was read
	}
	all["id"], all["stage"], all["action"] = strconv.FormatInt(time.Now().UnixNano(), 36), "ordered", u.Action
	all["from"], all["to"], all["withoutBackup"], all["problems"] = u.From, u.To, ptr.Value(u.WithoutBackup), []string{}
	text, err := json.Marshal(all)
	if err != nil {
		panic(err) // it has texts only
	}
	return string(text)
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
	var text string
	switch now.Stage {
	case stageChecked:
		text = fmt.Sprintf("PostgreSQL %s can be upgraded to %s: nothing was found that is in the way (%s of data). Nothing was changed. Take upgrade.checkOnly out to upgrade", u.From, u.To, size(now.Bytes))
	case stageDone:
		text = fmt.Sprintf("PostgreSQL is upgraded from %s to %s.", u.From, u.To)
		if now.Keeper != "" {
			text += fmt.Sprintf(" %s keeps the former data, as they were before: upgrade.finish deletes them, upgrade.revert goes back to them", now.Keeper)
		}
		if len(now.Skipped) > 0 {
			text += ". Replicas that did not answer are made when they do: " + strings.Join(now.Skipped, ", ")
		}
	case stageReverted:
		text = fmt.Sprintf("PostgreSQL is of version %s again, with the data as they were before the upgrade. Set postgres.version back to %s, and take upgrade out", u.From, u.From)
	case stageFinished:
		text = fmt.Sprintf("the data of PostgreSQL %s are deleted. Take upgrade out when Patroni may restart, one node at a time", u.From)
	}
	for _, note := range now.Notes {
		if now.Stage == stageChecked || now.Stage == stageDone {
			text += "\n- " + note
		}
	}
	p.GetLogger(ctx).Info(text)
	return nil
}

// upgrade reads how far nodes are from the first of them that knows, and says which that is.
func (c client) upgrade(ctx context.Context, nodes []Node) (m marker, on Node, err error) {
	var told []string
	for _, n := range nodes {
		asked, cancel := context.WithTimeout(ctx, callTimeout)
		var config struct {
			Upgrade string `json:"quorum_upgrade"`
		}
		_, err := c.call(asked, n, "GET", "/config", nil, &config)
		cancel()
		if err != nil {
			told = append(told, n.Name+": "+err.Error())
			continue
		}
		if config.Upgrade != "" {
			if err := json.Unmarshal([]byte(config.Upgrade), &m); err != nil {
				return marker{}, n, fmt.Errorf("%s: %s among the settings of Patroni cannot be read: %w", n.Name, upgradeKey, err)
			}
		}
		m.text = config.Upgrade
		return m, n, nil
	}
	return m, Node{}, errors.New("Patroni answers on no node: " + strings.Join(told, ", "))
}
