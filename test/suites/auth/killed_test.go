package auth

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestKilledWhileMade kills updates when etcd has done what they ask, and
// before they learn it: the next ones go on from there.
func TestKilledWhileMade(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	killed := func(users ...string) {
		done := func() bool {
			list, err := s.root.UserList(t.Context())
			return err == nil && slices.Equal(list.Users, users)
		}
		proxy.HoldAnswers(done)
		s.UpKilled(func(engine.Result) bool { return done() })
		proxy.Open()
		s.Unlock()
	}
	killed("app", "root")
	assert.False(t, s.has("EtcdUser"), "it is made, and the state does not know it")
	s.quiet(s.Up())
	assert.True(t, s.Up("--refresh").Unchanged())
	found, err := s.root.UserGet(t.Context(), "app")
	require.NoError(t, err)
	assert.Equal(t, []string{"app-role"}, found.Roles)

	s.without("app")
	killed("root")
	assert.True(t, s.has("EtcdUser"), "it is gone, and the state does not know it")
	s.quiet(s.Up())
	assert.Equal(t, []string{"root"}, s.users())
	assert.False(t, s.has("EtcdUser"))
}

// TestStateLost has the state forget what the program made, as a kill may: each
// is taken up again where it is the same.
func TestStateLost(t *testing.T) {
	t.Parallel()
	s, _ := newAjar(t)
	s.Up()
	for _, r := range []string{"EtcdKey::settings", "EtcdUser::app", "EtcdRole::app-role"} {
		_, stderr, err := s.Run("state", "delete", "--yes", "urn:pulumi:dev::test::quorum:index:"+r)
		require.NoError(t, err, stderr)
	}
	said := s.quiet(s.Up()).Diagnostics
	for _, what := range []string{"user app", "role app-role", "key /app/settings"} {
		assert.Contains(t, said, what+" already existed in etcd with these values")
	}
	assert.True(t, s.Up("--refresh").Unchanged())
}

// TestAnotherNameInTheProgram renames resources in the program alone.
func TestAnotherNameInTheProgram(t *testing.T) {
	t.Parallel()
	s, _ := newAjar(t)
	program := strings.Replace(s.program(), `password: "hush-hush-1"`, `name: app, password: "hush-hush-1"`, 1)
	s.Program(program)
	s.Up()
	s.Program(strings.ReplaceAll(strings.ReplaceAll(program, "\n  app: ", "\n  renamed: "), "\n  settings: ", "\n  other-settings: "))
	up := s.quiet(s.Up())
	assert.Contains(t, up.Diagnostics, "user app was kept in etcd: the resource renamed of the program manages it now")
	assert.Equal(t, []string{"app", "root"}, s.users())
	assert.True(t, s.Up("--refresh").Unchanged())
	s.quiet(s.Destroy())
	assert.Equal(t, []string{"root"}, s.users())
}

// TestReplacedByItself forces replacements of the same name: nothing is lost.
func TestReplacedByItself(t *testing.T) {
	t.Parallel()
	s, _ := newAjar(t)
	s.Up()
	all := []string{"--replace", "urn:pulumi:dev::test::quorum:index:EtcdKey::settings", "--replace", "urn:pulumi:dev::test::quorum:index:EtcdUser::app"}
	said := s.quiet(s.Up(all...)).Diagnostics
	assert.Contains(t, said, "user app was kept in etcd: the resource app of the program manages it now")
	assert.Equal(t, []string{"app", "root"}, s.users())
	assert.True(t, s.Up("--refresh").Unchanged())

	for _, resource := range []string{"settings", "app"} {
		s.Program(strings.Replace(s.program(), "\n  "+resource+": {", "\n  "+resource+": {options: {deleteBeforeReplace: true}, ", 1))
		s.quiet(s.Up(all...))
		assert.Equal(t, []string{"app", "root"}, s.users())
		assert.True(t, s.Up("--refresh").Unchanged())
	}
	anew := strings.Replace(s.program(), "\n  app: {", "\n  app: {options: {replaceOnChanges: [password], deleteBeforeReplace: true}, ", 1)
	s.Program(strings.Replace(anew, "hush-hush-1", "hush-hush-2", 1))
	replaced := s.quiet(s.Up())
	assert.Contains(t, replaced.Changed(), "replace EtcdUser")
	s.etcd.Client(t, "app", "hush-hush-2")
	assert.True(t, s.Up("--refresh").Unchanged())
}

// TestRootPasswordAndUserInOne changes how etcd is reached and takes a user
// out in one update: the state has the old password.
func TestRootPasswordAndUserInOne(t *testing.T) {
	t.Parallel()
	s, _ := newAjar(t)
	s.Up()
	s.do(s.root.UserChangePassword(t.Context(), "root", "hush-hush-root"))
	s.root = s.etcd.Client(t, "root", "hush-hush-root")
	said := s.quiet(s.Refresh()).Diagnostics
	assert.Contains(t, said, "user app could not be read from etcd")
	s.password = "hush-hush-root"
	s.without("app")
	s.quiet(s.Up())
	assert.Equal(t, []string{"root"}, s.users())
}
