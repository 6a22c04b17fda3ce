package clusters

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDatabaseUpgradeFrom has a cluster be about to take the place of another one, which is not fit for that yet: updates
// name what is in the way, and make no machine.
func TestDatabaseUpgradeFrom(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	blue, green, ca := newDatabase(t, "postgres-1"), newDatabase(t, "postgres-b-1", "postgres-b-2"), newAuthority(t).input()
	blue.change(func(o *databaseOptions) { o.haproxy, o.patroni = ca, ", isSynchronous: false" })
	blue.Up()
	endpoint, password := blue.Outputs()["primary"].([]any)[0], blue.Output("password")
	from := func(password string) {
		green.change(func(o *databaseOptions) {
			o.haproxy = fmt.Sprintf("%s      upgradeFrom: {endpoints: [%q], superuserPassword: %s}\n", ca, endpoint, password)
		})
	}
	secret := func(text string) string { return fmt.Sprintf("{fn::secret: %q}", text) }
	refused := func(t *testing.T, why string) {
		t.Helper()
		assert.Contains(t, green.UpFails().Diagnostics, why)
		assert.Equal(t, []string{"etcd-1"}, green.World.Names("Domain"), "nothing is made")
	}
	const notAsked = "upgradeFrom: this preview did not ask the source, as it does not know yet how to log in there. The update asks before it makes a machine, and fails with all that is in the way"
	for _, day := range []struct {
		name string
		is   func(*testing.T)
	}{
		{"the password is not known in the first preview", func(t *testing.T) {
			from("{fn::secret: \"${asked.id}\"}")
			green.Program(strings.Replace(green.options.program(green.subnet), "resources:\n", "resources:\n  asked: {type: \"libvirt:Volume\", properties: {pool: default, name: a, size: 1}}\n", 1))
			preview := green.Preview()
			assert.Contains(t, preview.Diagnostics, notAsked)
			assert.Contains(t, preview.Ops("PostgresHealth"), "create main-filled")
		}},
		{"the source cannot be copied", func(t *testing.T) {
			from(secret(password))
			assert.Contains(t, green.Preview().Diagnostics, notAsked, "the certificate to log in with is yet to be made")
			refused(t, "upgradeFrom: the source cannot be copied yet:\n- wal_level is replica: give the source postgres.params: {wal_level: logical}")
		}},
		{"a preview asks once it can", func(t *testing.T) {
			assert.Contains(t, green.PreviewFails().Diagnostics, "- wal_level is replica: ")
		}},
		{"a part is named", func(t *testing.T) {
			for _, name := range []string{"main-postgres-b-1-domain", "main-filled"} {
				assert.Contains(t, green.UpFails(targets(name)...).Diagnostics, "not specified in --target list", "the engine makes nothing before what it depends on")
				assert.Equal(t, []string{"etcd-1"}, green.World.Names("Domain"), name)
			}
		}},
		{"the password is another one", func(t *testing.T) {
			from(secret("not-the-password"))
			refused(t, "password authentication failed")
		}},
		{"the source is off", func(t *testing.T) {
			from(secret(password))
			blue.machines.Off("postgres-1")
			assert.Contains(t, green.Preview().Diagnostics, "upgradeFrom: the source does not answer from here")
			refused(t, "upgradeFrom: the source: ")
			blue.machines.Mend("postgres-1")
		}},
		{"it is taken out before anything was made", func(t *testing.T) {
			green.change(func(o *databaseOptions) { o.haproxy = ca })
			green.Up()
			assert.True(t, green.Up().Unchanged())
		}},
		{"it is given to a cluster that is there", func(t *testing.T) {
			from(secret(password))
			const made = "upgradeFrom: must not be given to a cluster that was made without it"
			assert.Contains(t, green.PreviewFails().Diagnostics, made)
			assert.Contains(t, green.UpFails().Diagnostics, made)
			require.Equal(t, "f", green.ask(t, "SELECT pg_is_in_recovery()", green.Outputs()["primary"].([]any)[0]), "it serves")
		}},
	} {
		if !t.Run(day.name, day.is) {
			return
		}
	}
}
