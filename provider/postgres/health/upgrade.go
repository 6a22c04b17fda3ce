package health

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// PostgreSQL's major upgrade is done by the nodes themselves (package upgrade): nobody answers while all of them are
// stopped, and whoever asked for it may be killed. A gate asks for it, tells how far it is, and ends with what was found.
// All that they say to each other stands in one text among the settings of Patroni.

// What is asked for, and how far it is, are keys there: nodes take up the first when nothing else is under way.
const (
	upgradeKey = "quorum_upgrade"
	orderKey   = "quorum_upgrade_order"
)

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

// order is what nodes are asked for.
type order struct {
	ID            string        `json:"id"`
	From          string        `json:"from"`
	To            string        `json:"to"`
	Action        UpgradeAction `json:"action"`
	WithoutBackup bool          `json:"withoutBackup"`
	At            int64         `json:"at"`               // seconds since 1970: nodes drop one of long ago
	ByHand        bool          `json:"byHand,omitempty"` // on a node
}

// is reports whether this is what u asks for.
func (o order) is(u Upgrade) bool { return o.isOf(u) && o.Action == u.Action }

func (o order) isOf(u Upgrade) bool { return o.From == u.From && o.To == u.To }

// marker is how far nodes are with an order.
type marker struct {
	order
	Stage    string   `json:"stage"`
	Leader   string   `json:"leader"`
	Base     string   `json:"base"`
	Keeper   string   `json:"keeper"`
	Turn     string   `json:"turn"`
	Problems []string `json:"problems"`
	Notes    []string `json:"notes"`
	Skipped  []string `json:"skipped"`
	Bytes    int64    `json:"bytes"`

	Nodes   []string        `json:"nodes"`
	Joined  map[string]bool `json:"joined"`  // that run since
	Cleaned map[string]bool `json:"cleaned"` // that have no former data any more

	asked order // and not taken up yet
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

// upgrade reads how far nodes are from the first of them that knows, and says which that is.
func (c client) upgrade(ctx context.Context, nodes []Node) (m marker, on Node, err error) {
	var told []string
	for _, n := range nodes {
		asked, cancel := context.WithTimeout(ctx, callTimeout)
		var config struct {
			Upgrade string `json:"quorum_upgrade"`
			Order   string `json:"quorum_upgrade_order"`
		}
		_, err := c.call(asked, n, "GET", "/config", nil, &config)
		cancel()
		if err != nil {
			told = append(told, n.Name+": "+err.Error())
			continue
		}
		if err := errors.Join(readInto(&m, config.Upgrade), readInto(&m.asked, config.Order)); err != nil {
			return marker{}, n, fmt.Errorf("%s: %s among the settings of Patroni cannot be read: %w", n.Name, upgradeKey, err)
		}
		return m, n, nil
	}
	return m, Node{}, errors.New("Patroni answers on no node: " + strings.Join(told, ", "))
}

// readInto reads a text that may not be there.
func readInto(what any, text string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), what)
}
