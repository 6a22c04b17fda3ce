package admin_test

import (
	"fmt"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPasswordsOfAllKinds has libpq log in with what the provider made of a password, and the
// provider know what PostgreSQL itself made of it.
func TestPasswordsOfAllKinds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i, password := range []string{"plain word", "ﬁxed¹", "a\u0308 and ä", "no\u00a0break", "soft\u00adhyphen", "smile 😀", "bell\u0007ä", "\u00ad"} {
		name := fmt.Sprintf("u%d", i)
		in := object("password", password)
		u := w.made("PostgresUser", name, in)
		assert.True(t, w.logsIn(name, password), "%q", password)
		for _, kind := range []string{"scram-sha-256", "md5"} {
			w.pg.SQL("postgres", "SET password_encryption = '"+kind+"'", "ALTER ROLE "+name+" PASSWORD '"+password+"'")
			require.NoError(t, u.refresh())
			assert.Empty(t, u.changes(in), "%q as %s", password, kind)
			w.pg.SQL("postgres", "SET password_encryption = '"+kind+"'", "ALTER ROLE "+name+" PASSWORD '"+password+"x'")
			require.NoError(t, u.refresh())
			assert.NotEmpty(t, u.changes(in), "%q as %s", password, kind)
			require.NoError(t, u.update(in))
		}
		assert.True(t, w.logsIn(name, password), "%q", password)
	}
	_, refused := w.of("PostgresUser", "u").check(property.Map{}, object("password", "two\nlines"))
	assert.Equal(t, []string{"password: must be one line, and not empty"}, refused)
}
