package health

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestStepsOfAnUpgrade takes them in the order check, run, and finish or revert, and no others.
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
		"finish before it was made":   {to17(UpgradeCheck), to17(UpgradeFinish), "plan.upgrade: must not have finish before an upgrade was made: before, the program had upgrade.checkOnly"},
		"finish at once":              {plain("15"), to17(UpgradeFinish), "plan.upgrade: must not have finish before an upgrade was made"},
		"revert before it was made":   {plain("15"), to17(UpgradeRevert), "plan.upgrade: must not have revert before an upgrade was made"},
		"revert after it is finished": {to17(UpgradeFinish), to17(UpgradeRevert), "plan.upgrade.finish: must stay on: the former data are deleted, and there is no way back. Take upgrade out instead"},
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
