package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestStepsOfAnUpgrade takes them with the versions that the data have before and after. Their order is for nodes to judge.
func TestStepsOfAnUpgrade(t *testing.T) {
	t.Parallel()
	no := false
	at := func(version string, action UpgradeAction, from string) HealthArgs {
		a := HealthArgs{Nodes: []Node{{Name: "a"}, {Name: "b"}}, Plan: &Plan{}, SkipHealthChecks: &no}
		if version != "" {
			a.Plan.Version = &version
		}
		if action != "" {
			a.Plan.Upgrade = &Upgrade{From: from, To: version, Action: action}
		}
		return a
	}
	plain := func(version string) HealthArgs { return at(version, "", "") }
	to17 := func(action UpgradeAction) HealthArgs { return at("17", action, "15") }
	for name, c := range map[string]struct {
		before, after HealthArgs
		want          string
	}{
		"check":                       {plain("15"), to17(UpgradeCheck), ""},
		"run without a check":         {plain("15"), to17(UpgradeRun), ""},
		"of the distribution's":       {plain(""), to17(UpgradeCheck), ""},
		"run":                         {to17(UpgradeCheck), to17(UpgradeRun), ""},
		"finish":                      {to17(UpgradeRun), to17(UpgradeFinish), ""},
		"revert":                      {to17(UpgradeRun), to17(UpgradeRevert), ""},
		"run again":                   {to17(UpgradeRevert), to17(UpgradeRun), ""},
		"ended":                       {to17(UpgradeFinish), plain("17"), ""},
		"ended after a check":         {to17(UpgradeCheck), plain("15"), ""},
		"ended after a revert":        {to17(UpgradeRevert), plain("15"), ""},
		"the next one":                {to17(UpgradeFinish), at("18", UpgradeCheck, "17"), ""},
		"another target after all":    {to17(UpgradeCheck), at("16", UpgradeCheck, "15"), ""},
		"from another version":        {plain("16"), to17(UpgradeCheck), `plan.upgrade.from: must be 16, the version that the data have by the program before, not "15"`},
		"finish, a revert failed":     {to17(UpgradeRevert), to17(UpgradeFinish), ""},
		"check after one that failed": {to17(UpgradeRun), to17(UpgradeCheck), ""},
		"a version that is to be had": {at("71", UpgradeRun, "15"), to17(UpgradeRun), ""},
		"ended too early":             {to17(UpgradeRun), plain("17"), "plan.version: must not be without upgrade yet: the upgrade from 15 to 17 is ended by upgrade.finish or upgrade.revert, in an update of its own. If it was never begun, give postgres.version: \"15\""},
		"given up, perhaps":           {to17(UpgradeRun), plain("15"), ""},
		"ended with the wrong data":   {to17(UpgradeFinish), plain("15"), "plan.version: must stay 17: the data are of that version"},
		"not reverted after all":      {to17(UpgradeRevert), plain("17"), "plan.version: must be 15 without upgrade: the data are of that version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var found []string
			for _, p := range c.after.ValidateChange(c.before) {
				found = append(found, p.String())
			}
			if c.want == "" {
				assert.Empty(t, found)
				return
			}
			assert.Equal(t, []string{c.want}, found)
		})
	}
}

// TestUpgradeMeans has a preview say how long writes wait.
func TestUpgradeMeans(t *testing.T) {
	t.Parallel()
	of := func(action UpgradeAction, nodes, standbys int, used string) string {
		return Upgrade{From: "15", To: "17", Action: action}.means(nodes, standbys, used)
	}
	assert.Contains(t, of(UpgradeCheck, 3, 1, ""), "changes nothing but for packages of 17")
	run := of(UpgradeRun, 3, 1, "12 GiB")
	assert.Contains(t, run, "writes wait for about half a minute")
	assert.Contains(t, run, "writes wait also until the first replica has copied the data (the volume has 12 GiB in use)")
	assert.Contains(t, of(UpgradeRun, 3, 1, ""), "depends on how much data there is")
	assert.NotContains(t, of(UpgradeRun, 3, 0, ""), "synchronous")
	assert.Contains(t, of(UpgradeRun, 1, 0, ""), "the only way back is a backup")
	assert.Contains(t, of(UpgradeRevert, 3, 1, ""), "all that was written since is lost")
	assert.Contains(t, of(UpgradeFinish, 3, 1, ""), "there is no way back to it then but a backup")
}

// TestStepsByTheNodes takes a step that follows from where the nodes are, whatever the program had before.
func TestStepsByTheNodes(t *testing.T) {
	t.Parallel()
	at := func(action UpgradeAction, stage string) marker {
		return marker{order: order{From: "15", To: "17", Action: action}, Stage: stage}
	}
	byHand := at(UpgradeRevert, "reverted")
	byHand.ByHand = true
	const way, nothing = "another upgrade of the cluster is under way: run from 15 to 17, stopped", "there is nothing to finish: no upgrade from 15 to 17 was made"
	for name, c := range map[string]struct {
		action UpgradeAction
		now    marker
		major  string
		want   string
	}{
		"check first":                   {UpgradeCheck, marker{}, "15", ""},
		"of a version that nobody says": {UpgradeRun, marker{}, "", ""},
		"from another version":          {UpgradeCheck, marker{}, "16", "upgrade.from must be 16, the version that the data have, not 15"},
		"run after a check":             {UpgradeRun, at(UpgradeCheck, "checked"), "15", ""},
		"run after one of another":      {UpgradeRun, marker{order: order{From: "14", To: "15", Action: UpgradeFinish}, Stage: "finished"}, "15", ""},
		"run goes on":                   {UpgradeRun, at(UpgradeRun, "stopped"), "", ""},
		"check while it runs":           {UpgradeCheck, at(UpgradeRun, "stopped"), "", way},
		"finish while it runs":          {UpgradeFinish, at(UpgradeRun, "stopped"), "", way},
		"revert of a check":             {UpgradeRevert, at(UpgradeCheck, "checking"), "15", ""},
		"revert of none":                {UpgradeRevert, marker{}, "15", ""},
		"revert of one that is made":    {UpgradeRevert, at(UpgradeRun, "done"), "17", ""},
		"revert of one that is ended":   {UpgradeRevert, at(UpgradeFinish, "finished"), "17", "the data of PostgreSQL 15 are deleted. Only a backup leads back"},
		"check of one that is made":     {UpgradeCheck, at(UpgradeRun, "done"), "17", "the data are of PostgreSQL 17 already"},
		"check after a restore":         {UpgradeCheck, at(UpgradeFinish, "finished"), "15", ""},
		"finish of none":                {UpgradeFinish, marker{}, "15", nothing},
		"finish of one that failed":     {UpgradeFinish, at(UpgradeRun, "refused"), "15", nothing},
		"finish after a restore":        {UpgradeFinish, at(UpgradeRun, "done"), "15", nothing},
		"finish":                        {UpgradeFinish, at(UpgradeRun, "done"), "17", ""},
		"finish goes on":                {UpgradeFinish, at(UpgradeFinish, "finishing"), "17", ""},
		"run of one that is ended":      {UpgradeRun, at(UpgradeFinish, "finished"), "17", "upgrade.finish must stay on: the data of PostgreSQL 15 are deleted, and there is no way back"},
		"run after a revert":            {UpgradeRun, at(UpgradeRevert, "reverted"), "15", ""},
		"run after one by hand":         {UpgradeRun, byHand, "15", "PostgreSQL was brought back to 15 by hand"},
		"revert after one by hand":      {UpgradeRevert, byHand, "15", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Upgrade{From: "15", To: "17", Action: c.action}.refused(c.now, c.major)
			if c.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, c.want)
		})
	}
}
