package clusters

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/postgresmachines"
)

// majors are the versions of PostgreSQL between which clusters here are upgraded.
type majors struct{ from, to string }

// newUpgrade is a cluster with the former version.
func newUpgrade(t *testing.T, nodes ...string) (*database, majors) {
	t.Helper()
	d := newDatabase(t, nodes...)
	from, to := postgresmachines.Majors()
	m := majors{from, to}
	d.change(m.only(from))
	return d, m
}

// only is a program with a version and no upgrade.
func (m majors) only(version string) func(*databaseOptions) {
	return func(o *databaseOptions) { o.postgres, o.haproxy = fmt.Sprintf(", version: %q", version), "" }
}

// upgrade is a program with an upgrade, and more inputs of it.
func (m majors) upgrade(more string) func(*databaseOptions) {
	return func(o *databaseOptions) {
		m.only(m.to)(o)
		o.haproxy = fmt.Sprintf("      upgrade: {from: %q, withoutBackup: true%s}\n", m.from, more)
	}
}

const (
	checkOnly = ", checkOnly: true"
	revert    = ", revert: true"
	finish    = ", finish: true"
)

func TestDatabaseUpgrade(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d, m := newUpgrade(t, "postgres-1", "postgres-2", "postgres-3")
	t.Log(d.Up().Diagnostics)
	for _, c := range []func(*databaseOptions){m.upgrade(checkOnly), m.upgrade(""), m.upgrade(revert), m.upgrade(""), m.upgrade(finish), m.only(m.to)} {
		d.change(c)
		t.Log(d.Preview().Diagnostics)
		up := d.Up()
		t.Log(up.Duration, databaseOrder(up), up.Diagnostics)
		t.Log(d.machines.Keep(m.from), d.machines.Keep(m.to))
		assert.True(t, d.Up().Unchanged())
	}
}
