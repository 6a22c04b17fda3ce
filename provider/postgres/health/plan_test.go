package health

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func TestStepsThatAreRefused(t *testing.T) {
	t.Parallel()
	args := func(version string, skip bool, nodes ...string) HealthArgs {
		a := HealthArgs{Plan: &Plan{Rebuilds: map[string]string{}}, SkipHealthChecks: &skip}
		if version != "" {
			a.Plan.Version = &version
		}
		for _, name := range nodes {
			a.Nodes = append(a.Nodes, Node{Name: name})
			a.Plan.Rebuilds[name] = "as it was"
		}
		return a
	}
	rebuilding := func(a HealthArgs, nodes ...string) HealthArgs {
		for _, name := range nodes {
			a.Plan.Rebuilds[name] = "another"
		}
		return a
	}
	at := func(ip string, a HealthArgs) HealthArgs {
		a.Nodes[0].IP = ip
		return a
	}
	knowing := func(passwords string, a HealthArgs) HealthArgs {
		a.Passwords, a.Without, a.Triggers = &passwords, &a.Nodes[0].Name, a.Plan.Rebuilds
		return a
	}
	scoped := func(keys string) HealthArgs {
		a := args("", false, "a")
		a.Plan.Keys = &keys
		return a
	}
	keeping := func(data string, a HealthArgs) HealthArgs {
		a.Plan.Data = map[string]string{"a": data}
		return a
	}
	external := func(a HealthArgs, names ...string) HealthArgs {
		for i, n := range a.Nodes {
			a.Nodes[i].External = new(bool)
			*a.Nodes[i].External = slices.Contains(names, n.Name)
		}
		return a
	}
	losing := func(a HealthArgs) HealthArgs {
		yes := true
		a.AllowDataLoss = &yes
		return a
	}
	const lost = "plan.data: this change deletes the data of a, the only node: the cluster would start again empty. Add a node first, in an update of its own, or allow the loss with allowDataLoss: true"
	for name, c := range map[string]struct {
		before, after HealthArgs
		want          string
	}{
		"all, one by one":             {args("", false, "a", "b"), rebuilding(args("", false, "a", "b"), "a", "b"), ""},
		"one of them unwatched":       {args("", true, "a", "b"), rebuilding(args("", true, "a", "b"), "a"), ""},
		"more than one unwatched":     {args("", true, "a", "b"), rebuilding(args("", true, "a", "b"), "a", "b"), "skipHealthChecks: must not be on while a, b are changed or removed: without health checks at most 1 node may be rebuilt or removed in one update. Take skipHealthChecks out of the program, or change fewer at once"},
		"new ones unwatched":          {args("", true, "a"), rebuilding(args("", true, "a", "b", "c"), "b", "c"), ""},
		"others gone unwatched":       {args("", true, "a", "b", "c"), args("", true, "c"), "skipHealthChecks: must not be on while a, b are changed or removed: without health checks at most 1 node may be rebuilt or removed in one update. Take skipHealthChecks out of the program, or change fewer at once"},
		"passwords":                   {knowing("1", args("", false, "a", "b")), knowing("2", args("", false, "a", "b")), ""},
		"passwords and a machine":     {knowing("1", args("", false, "a", "b")), knowing("2", rebuilding(args("", false, "a", "b"), "a")), "passwords: must not change in an update that rebuilds a, or restarts Patroni there: a could not log in to the leader, which still has the old ones. Change passwords in an update of their own"},
		"another scope":               {scoped("/service/a/"), scoped("/service/b/"), "plan.keys: must stay /service/a/, not be /service/b/: patroni.scope and patroni.namespace name the cluster, and under another name the nodes would start a second cluster"},
		"a node under another name":   {at("192.0.2.1", args("", false, "a", "b")), at("192.0.2.1", args("", false, "c", "b")), "nodes[0].ip: must not be 192.0.2.1, the address of a: the machine of a removed node is deleted last. Give c another address, or keep the name"},
		"another version":             {args("16", false, "a"), args("17", false, "a"), "plan.version: must stay 16, not be 17: PostgreSQL does not start with data of another major version. For a major upgrade, give upgrade: {from: \"16\", checkOnly: true} with it: see docs/upgrade.md"},
		"a version where was none":    {args("", false, "a"), args("17", false, "a"), ""},
		"data of the only node":       {keeping("1", args("", false, "a")), keeping("2", args("", false, "a")), lost},
		"data of an earlier release":  {keeping("1", args("", false, "a")), keeping(guest.Sized(guest.Hash("b"), 2, guest.Hash("c")), args("", false, "a")), lost + ". If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it"},
		"also where another is added": {keeping("1", args("", false, "a")), keeping("2", args("", false, "a", "b")), lost},
		"data that may be lost":       {keeping("1", args("", false, "a")), losing(keeping("2", args("", false, "a"))), ""},
		"data of one of two":          {keeping("1", args("", false, "a", "b")), keeping("2", args("", false, "a", "b")), ""},
		"data that nobody noted":      {args("", false, "a"), keeping("2", args("", false, "a")), ""},
		"another scope of others":     {external(scoped("/service/a/"), "a"), external(scoped("/service/b/"), "a"), ""},
		"one taken over":              {external(args("", false, "a", "b"), "a", "b"), external(args("", false, "a", "b"), "b"), ""},
		"two taken over":              {external(args("", false, "a", "b", "c"), "a", "b", "c"), external(args("", false, "a", "b", "c"), "b"), "nodes: must not take over a and c in one update: take out external of one node, and of the next when an update has ended with the one before"},
		"taken over by another name": {
			at("192.0.2.1", external(args("", false, "a", "b"), "a", "b")), at("192.0.2.1", external(args("", false, "c", "b"), "b")),
			"nodes[0].name: must stay a while the node at 192.0.2.1 is taken over, not be c. For another name, add a node with another address afterwards, and then remove this one",
		},
		"others in the place of some": {args("", false, "a", "b"), args("", false, "b", "c"), ""},
		"others in the place of all":  {args("", false, "a", "b"), args("", false, "c", "d"), "nodes: must keep at least one of a, b: new nodes copy the data of one that stays"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			for _, problem := range c.after.ValidateChange(c.before) {
				got += problem.String()
			}
			assert.Equal(t, c.want, got)
		})
	}
}
