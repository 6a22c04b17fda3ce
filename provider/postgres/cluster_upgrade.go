package postgres

import (
	"maps"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/health"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/sdk/go/quorum"
)

// ClusterUpgrade brings the data of a cluster to another major version of PostgreSQL.
type ClusterUpgrade struct {
	From          string `pulumi:"from"`
	CheckOnly     *bool  `pulumi:"checkOnly,optional"`
	Revert        *bool  `pulumi:"revert,optional"`
	Finish        *bool  `pulumi:"finish,optional"`
	WithoutBackup *bool  `pulumi:"withoutBackup,optional"`
}

// action is what is asked for.
func (u ClusterUpgrade) action() health.UpgradeAction {
	switch {
	case ptr.Value(u.CheckOnly):
		return health.UpgradeCheck
	case ptr.Value(u.Revert):
		return health.UpgradeRevert
	case ptr.Value(u.Finish):
		return health.UpgradeFinish
	}
	return health.UpgradeRun
}

// upgrades is what is wrong with an upgrade, as far as the program shows it.
func (a PostgresClusterArgs) upgrades() check.List {
	var l check.List
	if a.Upgrade == nil {
		return nil
	}
	u, to := *a.Upgrade, ptr.Value(ptr.Value(a.Postgres).Version)
	from, err := strconv.Atoi(u.From)
	target, unfit := strconv.Atoi(to)
	switch {
	case to == "":
		l.Add("upgrade", "needs postgres.version: the major version that PostgreSQL is to have").Shape().Needing("postgres.version")
	case err != nil || from < 1 || from > 99:
		l.Add("upgrade.from", "must be the major version that the data have, like 15, not %s", check.Quote(u.From))
	case unfit == nil && from >= target:
		l.Add("upgrade.from", "must be less than postgres.version (%s), not %s: PostgreSQL is never brought to an older version. To go back from an upgrade before it is finished, keep both and give upgrade.revert", to, u.From).
			Needing("postgres.version")
	}
	given := 0
	for _, on := range []*bool{u.CheckOnly, u.Revert, u.Finish} {
		if ptr.Value(on) {
			given++
		}
	}
	if given > 1 {
		l.Add("upgrade", "must have only one of checkOnly, revert and finish").Shape()
	}
	if a.Backup == nil && given == 0 && !ptr.Value(u.WithoutBackup) {
		l.Add("upgrade.withoutBackup", "must be true without backup: an upgrade needs a backup of the last 24 hours, or the word that none is wanted").Shape().Needing("backup")
	}
	if a.StandbyOf != nil {
		l.Add("upgrade", "must not be given with standbyOf: a standby has the version of its source. Upgrade the source, and found the standby anew").Shape().Needing("standbyOf")
	}
	if ptr.Value(a.SkipHealthChecks) {
		l.Add("upgrade", "must not be given with skipHealthChecks: the nodes have to be asked").Shape().Needing("skipHealthChecks")
	}
	return l
}

// fitBoth requires of the i-th node that its settings fit the version before, too: it goes on with them until the upgrade.
func (a PostgresClusterArgs) fitBoth(node PostgresServerArgs) check.List {
	if a.Upgrade == nil {
		return nil
	}
	node.Postgres.Version = &a.Upgrade.From
	var l check.List
	for _, p := range node.Postgres.Fit() {
		p.Reason += " (of PostgreSQL " + a.Upgrade.From + ", which runs until the upgrade)"
		l = append(l, p)
	}
	return l
}

// upgrade registers the gate that has the nodes make the upgrade, after all of them know of it.
func (r *postgresRoll) upgrade(ctx *pulumi.Context, done *rolled) error {
	if r.in.Args.Upgrade == nil {
		return nil
	}
	gate, err := r.gate(ctx, upgraded, quorum.PostgresHealthArgs{
		Upgrade: r.upgrading(), SynchronousStandbys: r.standbys(), Triggers: maps.Clone(r.machines),
	}, done.all...)
	if err == nil {
		done.add(gate)
	}
	return err
}

// upgrading is what the cluster is asked for.
func (r *postgresRoll) upgrading() quorum.PostgresHealthUpgradePtrInput {
	if r.in.Args.Upgrade == nil {
		return nil
	}
	return quorum.PostgresHealthUpgradeArgs{
		From: r.in.RequiredString("upgrade.from"), To: r.target(), Action: r.action(),
		WithoutBackup: r.in.Bool("upgrade.withoutBackup"),
	}
}

// target is the version that is wanted, known when it is known that there is an upgrade.
func (r *postgresRoll) target() pulumi.StringOutput {
	both := pulumi.All(r.in.RequiredString("upgrade.from"), r.in.RequiredString("postgres.version"))
	return fault.Apply(both, func(all []any) string { return all[1].(string) }).(pulumi.StringOutput)
}

// action is what the program asks for. Which it is, is known when all that says it is.
func (r *postgresRoll) action() pulumi.StringOutput {
	action := string(r.in.Args.Upgrade.action())
	of := pulumi.All(r.in.Bool("upgrade.checkOnly"), r.in.Bool("upgrade.revert"), r.in.Bool("upgrade.finish"))
	return fault.Apply(of, func([]any) string { return action }).(pulumi.StringOutput)
}

// triggers are what the last gate looks again for: machines, and data of another version.
func (r *postgresRoll) triggers() pulumi.StringMap {
	if r.in.Args.Upgrade == nil {
		return r.machines
	}
	all := maps.Clone(r.machines)
	all[health.UpgradeTrigger] = pulumi.Sprintf("%s: %s to %s", r.action(), r.in.RequiredString("upgrade.from"), r.target())
	return all
}
