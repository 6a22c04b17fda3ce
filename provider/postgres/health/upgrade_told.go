package health

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// unknown is a version that a preview does not know.
const unknown = "(not known yet)"

// dataVolume is where nodes have their data.
const dataVolume = "/var/lib/postgresql"

// says is what is under way, as a line of progress.
func (m marker) says(since time.Time) string {
	var text string
	switch who := cmp.Or(m.Base, m.Leader); m.Stage {
	case "ordered":
		text = "the upgrade begins: nodes have yet to take it up"
	case "checking":
		text = m.Leader + ": checks, while PostgreSQL runs"
	case "stopping":
		text = who + ": PostgreSQL stops, writes wait"
	case "stopped":
		text = fmt.Sprintf("%s: pg_upgrade to PostgreSQL %s, writes wait", who, m.To)
	case "upgraded", "starting":
		text = who + ": PostgreSQL starts, writes wait"
	case "replicas":
		text = who + " leads; statistics and backups follow"
		if m.Turn != "" {
			text = fmt.Sprintf("%s: copies the data of %s, as a replica", m.Turn, who)
		}
	case "finishing":
		text = "the former data are deleted"
	default:
		text = m.Stage
	}
	if took := time.Since(since); took > time.Minute {
		text += fmt.Sprintf(" (%d min)", int(took.Minutes()))
	}
	return text
}

// tells is what is kept of a stage in the log of an update.
func (m marker) tells() string {
	switch {
	case m.Stage == "stopping" && m.Action == UpgradeRun:
		return fmt.Sprintf("upgrade: nothing was found that is in the way: PostgreSQL stops (%s of data)", size(m.Bytes))
	case m.Stage == "replicas":
		return fmt.Sprintf("upgrade: %s leads again", m.Base)
	}
	return ""
}

// came says what an upgrade has come to.
func (u Upgrade) came(now marker) string {
	switch now.Stage {
	case stageChecked:
		return fmt.Sprintf("PostgreSQL %s can be upgraded to %s: nothing was found that is in the way (%s of data). Nothing was changed. Take upgrade.checkOnly out to upgrade", u.From, u.To, size(now.Bytes))
	case stageDone:
		text := fmt.Sprintf("PostgreSQL is upgraded from %s to %s.", u.From, u.To)
		if now.Keeper != "" {
			text += fmt.Sprintf(" %s keeps the former data, as they were before: upgrade.finish deletes them, upgrade.revert goes back to them", now.Keeper)
		}
		if len(now.Skipped) > 0 {
			text += ". Replicas that were not there yet are made when they come: " + strings.Join(now.Skipped, ", ")
		}
		return text
	case stageReverted:
		return fmt.Sprintf("PostgreSQL is of version %s again, with the data as they were before the upgrade. Set postgres.version back to %s, and take upgrade out", u.From, u.From)
	}
	return fmt.Sprintf("the data of PostgreSQL %s are deleted. Take upgrade out when Patroni may restart, one node at a time", u.From)
}

// size is a number of bytes for people.
func size(bytes int64) string {
	const unit = 1 << 10
	switch {
	case bytes >= 10*unit*unit*unit:
		return fmt.Sprintf("%d GiB", bytes/unit/unit/unit)
	case bytes >= unit*unit*unit:
		return fmt.Sprintf("%.1f GiB", float64(bytes)/unit/unit/unit)
	}
	return fmt.Sprintf("%d MiB", bytes/unit/unit)
}

// tellUpgrade says in a preview what an upgrade does.
func (a HealthArgs) tellUpgrade(ctx context.Context) {
	u := *a.Upgrade
	if u.Action == "" {
		p.GetLogger(ctx).Warning("not known before the update: upgrade, and so what it asks for. An upgrade, and the way back from one, stop all nodes; upgrade.finish deletes the former data")
		return
	}
	if a.leavesUpgrade(ctx) {
		return
	}
	u.From, u.To = cmp.Or(u.From, unknown), cmp.Or(u.To, unknown)
	if text := u.means(len(a.Nodes), ptr.Value(a.SynchronousStandbys), a.used(ctx)); text != "" {
		p.GetLogger(ctx).Warning(text)
	}
}

// leavesUpgrade reports whether nodes say that they are not asked for it any more: a machine is rebuilt after it was made. Of one
// that goes on it says so.
func (a HealthArgs) leavesUpgrade(ctx context.Context) bool {
	c, err := newClient(a.CACert, a.ClientCert, a.ClientKey)
	if err != nil {
		return false // certificates are unknown
	}
	now, _, err := c.upgrade(ctx, a.Nodes)
	if err == nil && !now.rests() && now.is(*a.Upgrade) {
		p.GetLogger(ctx).Warning("upgrade: it is under way: " + now.says(time.Now()) + ". This update waits for its end")
		return true
	}
	return err == nil && a.Upgrade.stage(now) != "" && !a.Upgrade.asks(now, c.major(ctx, a.Nodes))
}

// used says how much the node's volume that has most on it has, as far as it is told.
func (a HealthArgs) used(ctx context.Context) string {
	var most int64
	for _, n := range a.Nodes {
		if n.IP != "" {
			most = max(most, wait.Used(ctx, n.IP, dataVolume))
		}
	}
	if most == 0 {
		return ""
	}
	return size(most)
}

// means is what an upgrade does to those who use the cluster.
func (u Upgrade) means(nodes, standbys int, used string) string {
	much := "how long that takes depends on how much data there is"
	if used != "" {
		much = "the volume has " + used + " in use"
	}
	switch u.Action {
	case UpgradeCheck:
		return fmt.Sprintf("upgrade: this update checks whether PostgreSQL %s can be upgraded to %s, while it runs, and changes nothing but for packages of %s on the nodes. If the program had no postgres.version before, Patroni restarts too, on one node after the other, with a switchover", u.From, u.To, u.To)
	case UpgradeRevert:
		return fmt.Sprintf("upgrade: if PostgreSQL was upgraded to %s, this update goes back to %s, with the data as they were before the upgrade: all that was written since is lost. "+
			"All nodes stop; writes wait until the node that kept the data leads%s. If it was not, nothing changes", u.To, u.From, first(standbys, much))
	case UpgradeFinish:
		return fmt.Sprintf("upgrade: this update deletes the data of PostgreSQL %s: there is no way back to it then but a backup", u.From)
	}
	text := fmt.Sprintf("upgrade: this update brings the data from PostgreSQL %s to %s. It checks first, and begins only if nothing is in the way: to have that said before, run an update with upgrade.checkOnly. "+
		"Then all nodes stop, and connections end: writes wait for about half a minute, however much data there is (pg_upgrade links the files), and longer with many tables%s", u.From, u.To, first(standbys, much))
	if nodes > 1 {
		return text + fmt.Sprintf(". Replicas are copied anew, one at a time; one keeps the former data, and needs room for both, until upgrade.finish. Until then upgrade.revert goes back to PostgreSQL %s", u.From)
	}
	return text + ". A single node keeps no former data: the only way back is a backup"
}

// first is what strict synchronous replication adds.
func first(standbys int, much string) string {
	if standbys == 0 {
		return ""
	}
	return ". Replication is synchronous: writes wait also until the first replica has copied the data (" + much + ")"
}
