//go:build e2e

package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testApplication has an application's stack make its database and users by way of the virtual
// address: as the superuser, whom the cluster lets in with a certificate of its authority. The
// application connects by what the stack's outputs say, and gets another password.
func testApplication(t *testing.T, p platform) {
	p.edit(t, "postgres", superuserRule+", ", "")
	p.postgres.Up()
	p.secret(t, "appPassword", "of-the-application")
	p.secret(t, "reportsPassword", "of-who-reads")
	p.app.Up()
	assert.Empty(t, p.app.Up("--refresh").Ops(""))
	as := func(output, password, statement string) (string, error) {
		text := p.app.Outputs()[output].(map[string]any)["conninfo"].(string)
		return sandbox("shell", "timeout", "10", "env", "PGPASSWORD="+password, "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align",
			"--dbname="+text+" sslrootcert="+p.database.ca, "--command="+statement)
	}
	_, err := as("writer", "of-the-application", "CREATE TABLE goods (name text); INSERT INTO goods VALUES ('apple'); SELECT similarity('apple', 'apples')")
	require.NoError(t, err)
	for output, password := range map[string]string{"pooled": "of-the-application", "reader": "of-who-reads"} {
		wait(t, "what the application wrote, by "+output, func() error {
			out, err := as(output, password, "SELECT name FROM goods")
			if err == nil {
				assert.Equal(t, "apple", out)
			}
			return err
		})
	}
	_, err = as("reader", "of-who-reads", "INSERT INTO goods VALUES ('pear')")
	require.Error(t, err, "who reads does not write, and a standby takes nothing")

	p.secret(t, "appPassword", "another-of-the-application")
	assert.Equal(t, "update PostgresUser", p.app.Up().Changed())
	for _, output := range []string{"writer", "pooled"} {
		wait(t, "the new password, by "+output, func() error {
			_, err := as(output, "another-of-the-application", "SELECT 1")
			return err
		})
		_, err = as(output, "of-the-application", "SELECT 1")
		require.Error(t, err)
	}
	p.edit(t, "postgres", superuserRule+", ", superuserRule+", ")
	p.postgres.Up()
}

// secret sets one of the application's secrets.
func (p platform) secret(t *testing.T, name, value string) {
	t.Helper()
	_, stderr, err := p.app.Run("config", "set", "--secret", name, value)
	require.NoError(t, err, stderr)
}
