package clusters

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const externally = "          external: true\n"

// external has these machines be somebody else's, and no others.
func (d *database) external(machines ...string) {
	d.change(func(o *databaseOptions) {
		o.of = map[string]string{}
		for _, name := range machines {
			o.of[name] = externally
		}
	})
}

// newExternal is a cluster of three nodes and two load balancers that the modules have made, and the program of it.
func newExternal(t *testing.T) (*database, *modules) {
	t.Helper()
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	m := newModules(t, d)
	m.startAll()
	m.balance("lb-1", "41", "11", "12", "13")
	m.balance("lb-2", "42", "11", "12", "13")
	d.options.postgres, d.options.haproxy = `, version: "15"`+modulesPasswords, m.ca.input()
	return d, m
}

// hash is of the files of the machines, but for what PostgreSQL and Patroni write as they run.
func (m *modules) hash() string {
	m.t.Helper()
	said, err := exec.Command("sh", "-c", "cd "+m.dir+" && find . -name conf.yml -o -name haproxy.cfg -o -name pg_hba.conf -o -name postgresql.auto.conf -o -name '*.crt' | sort | xargs sha256sum").CombinedOutput()
	require.NoError(m.t, err, "%s", said)
	return string(said)
}

// TestDatabaseTakenOver has a cluster that the Terraform modules made come to be one of the program, one machine after the
// other, while a client writes.
func TestDatabaseTakenOver(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d, m := newExternal(t)
	all := []string{"postgres-1", "postgres-2", "postgres-3", "lb-1", "lb-2"}
	config, files, system := m.ask("11", "/config"), m.hash(), m.ask("11", "/patroni")
	d.external(all...)
	d.Up()
	writes := d.write(t)
	assert.Contains(t, system, d.Output("systemId"))
	assert.Equal(t, []string{"etcd-1"}, d.World.Names("Domain"), "nothing is made")
	assert.True(t, d.Up().Unchanged())
	assert.Equal(t, config, m.ask("11", "/config"), "nothing of the cluster has changed")
	assert.Equal(t, files, m.hash())
	id := d.Output("systemId")

	left := all
	take := func(name string) {
		t.Helper()
		left = left[1:]
		d.external(left...)
		failed := d.UpFails()
		assert.Contains(t, failed.Diagnostics, "Shut it down and undefine it, and keep its disks; then the next `pulumi up` goes on")
		assert.NotEqual(t, name, m.leader(), "it has handed over")
		assert.Equal(t, config, withoutRecord(m.ask("13", "/config")))
		m.off(name)
		d.Up()
		assert.True(t, d.Up().Unchanged())
		assert.Contains(t, d.World.Names("Domain"), name)
	}
	take("postgres-1")
	m.settle(3)

	// Taken back: the machine goes, and theirs is as it was.
	left = all
	d.external(left...)
	back := d.Up()
	assert.Contains(t, strings.Join(databaseOrder(back), "\n"), "delete Domain postgres-1-domain")
	m.on("postgres-1", "11")
	m.settle(3)
	assert.True(t, d.Up().Unchanged())

	take("postgres-1")
	m.settle(3)
	take("postgres-2")
	m.settle(3)
	left = left[1:]
	d.external(left...)
	d.UpFails()
	assert.NotEqual(t, "postgres-3", m.leader())
	m.off("postgres-3")
	d.Up()
	assert.True(t, d.Up().Unchanged())
	m.settle(3)
	assert.NotEqual(t, config, m.ask("11", "/config"), "the cluster has taken the settings of the program")
	assert.Equal(t, id, d.Output("systemId"))

	for _, name := range []string{"lb-1", "lb-2"} {
		left = left[1:]
		d.external(left...)
		assert.Contains(t, d.UpFails().Diagnostics, "a load balancer that this package has not made answers at")
		m.off(name)
		d.Up()
	}
	assert.True(t, d.Up().Unchanged())
	writes.stop(t)
}

// withoutRecord is a configuration of Patroni without what gates note there.
func withoutRecord(config string) string {
	before, rest, has := strings.Cut(config, `, "quorum_nodes": {`)
	if !has {
		return config
	}
	depth, end := 1, 0
	for i, r := range rest {
		if r == '{' {
			depth++
		}
		if r == '}' {
			if depth--; depth == 0 {
				end = i + 1
				break
			}
		}
	}
	return before + rest[end:]
}
