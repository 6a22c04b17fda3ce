package clusters

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
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
	for _, wrong := range []struct{ was, is, tells string }{
		{"replicator-of-theirs", "another-one", "postgres.replicatorPassword is not that of the cluster: postgres-1, which leads, refuses it for the user replicator"},
		{"superuser-of-theirs", "another-one", "postgres.superuserPassword is not that of the cluster: postgres-1, which leads, refuses it for the user postgres"},
		{"scope: main", "scope: main, namespace: /patroni/", "patroni.namespace, patroni.scope or etcd.endpoints: this etcd has no cluster below /patroni/main/"},
		{"scope: main", "scope: main, isSynchronous: false", "patroni.isSynchronous must be true while a node is external"},
	} {
		text := d.options.program(d.subnet)
		require.Contains(t, text, wrong.was)
		d.Program(strings.ReplaceAll(text, wrong.was, wrong.is))
		failed := d.UpFails()
		assert.Contains(t, failed.Diagnostics, wrong.tells)
		assert.NotContains(t, failed.Diagnostics, "another-one")
	}
	d.external(all...)
	assert.Contains(t, d.Up().Diagnostics, `when the last external node has been taken over, the cluster takes the parameters of the program (postgres.params): max_connections from "120" to its default`+"\n")
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
	assert.Equal(t, config, m.ask("11", "/config"), "nothing is noted of nodes any more")

	take("postgres-1")
	m.settle(3)

	// The next machine cannot be made, and the old one runs again meanwhile: that is seen though the gate has passed.
	d.World.Fail("create", "Domain", "postgres-2", "operation failed: domain 'postgres-2' already exists with uuid 1f3b")
	left = left[1:]
	d.external(left...)
	assert.Contains(t, d.UpFails().Diagnostics, "Shut it down and undefine it")
	m.off("postgres-2")
	assert.Contains(t, d.UpFails().Diagnostics, "already exists with uuid 1f3b")
	d.World.Heal("create", "Domain", "postgres-2")
	m.on("postgres-2", "12")
	m.settle(3)
	assert.Contains(t, d.UpFails().Diagnostics, "the machine of postgres-2 can be made. Now Patroni, of the cluster main")
	m.off("postgres-2")
	d.Up()
	m.settle(3)
	assert.Contains(t, d.DestroyFails().Diagnostics, "cannot be deleted together with the cluster: other nodes are external")
	assert.Subset(t, d.World.Names("Domain"), []string{"postgres-1", "postgres-2"})
	d.Up()
	m.settle(3)
	left = left[1:]
	d.external(left...)
	assert.Contains(t, d.UpFails().Diagnostics, "Shut it down and undefine it")
	assert.NotEqual(t, "postgres-3", m.leader())
	assert.Equal(t, config, withoutRecord(m.ask("13", "/config")), "the others have not changed")
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

// TestDatabaseTakenOverWithItsData has a node go on with the data volume of the one whose place it takes: nothing is copied.
func TestDatabaseTakenOverWithItsData(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d, m := newExternal(t)
	volume := strings.NewReplacer("\nresources:\n", "\nresources:\n  old-1: {type: \"libvirt:Volume\", properties: {name: old-1, pool: default, size: 1073741824}}\n",
		"networks: [{networkName: default, ip: "+d.subnet+".11, prefixLength: 24}]\n            dataVolume: {pool: default, size: 1073741824}",
		"networks: [{networkName: default, ip: "+d.subnet+".11, prefixLength: 24}]\n            dataVolumeId: ${old-1.id}")
	program := func(externals ...string) {
		t.Helper()
		d.external(externals...)
		text := volume.Replace(d.options.program(d.subnet))
		require.Contains(t, text, "dataVolumeId: ${old-1.id}")
		d.Program(text)
	}
	program("postgres-1", "postgres-2", "postgres-3", "lb-1", "lb-2")
	d.Up()
	writes := d.write(t)
	program("postgres-2", "postgres-3", "lb-1", "lb-2")
	assert.Contains(t, d.UpFails().Diagnostics, "Shut it down and undefine it")
	m.off("postgres-1")

	// The disk is the next machine's, which moves the data before Patroni starts.
	place := ""
	for _, o := range d.World.Objects() {
		if o.Type == "Volume" && strings.HasSuffix(o.Name, "old-1") {
			place = filepath.Join(d.machines.Dir, "volumes", o.Born)
		}
	}
	require.NotEmpty(t, place)
	unit, err := os.ReadFile(filepath.Join(engine.Root(), "provider/postgres/patroni/quorum-former-data.service"))
	require.NoError(t, err)
	script := regexp.MustCompile(`(?m)^ExecStart=/bin/sh -ec '(.*)'$`).FindStringSubmatch(string(unit))[1]
	move := exec.Command("/bin/sh", "-ec", "mkdir -p "+place+"; cp -a "+filepath.Join(m.dir, "postgres-1", "15")+" "+place+"; cd "+place+"; "+
		strings.NewReplacer("$$", "$", "{{.Version}}", "15").Replace(script)+"; touch data/moved; chown -R nobody .")
	said, err := move.CombinedOutput()
	require.NoError(t, err, "%s", said)
	d.Up()
	assert.True(t, d.Up().Unchanged())
	m.settle(3)
	assert.FileExists(t, filepath.Join(place, "data", "moved"), "nothing was copied in its place")
	assert.NotContains(t, d.machines.Said("postgres-1"), "basebackup")
	assert.Contains(t, d.World.State("postgres-1"), "quorum-former-data.service")
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
