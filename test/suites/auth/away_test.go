package auth

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// newAjar is a stack whose way to etcd can be shut.
func newAjar(t *testing.T) (*stack, *embedetcd.Proxy) {
	t.Helper()
	s := newStack(t)
	proxy := embedetcd.NewProxy(t, s.etcd.Endpoint)
	s.etcd.Endpoint = proxy.Endpoint
	s.Program(s.program())
	return s, proxy
}

// without takes a resource out of the program.
func (s *stack) without(name string) {
	s.t.Helper()
	var lines []string
	for line := range strings.Lines(s.program()) {
		if !strings.HasPrefix(line, "  "+name+": ") {
			lines = append(lines, line)
		}
	}
	s.Program(strings.Join(lines, ""))
}

func (s *stack) has(typ string) (has bool) {
	s.t.Helper()
	for _, r := range s.Resources() {
		has = has || strings.HasSuffix(string(r.Type), ":"+typ)
	}
	return has
}

func (s *stack) users() []string {
	s.t.Helper()
	list, err := s.root.UserList(s.t.Context())
	require.NoError(s.t, err)
	return list.Users
}

// TestAwayWhileRefreshed wants an update with --refresh to come to its end, and
// one warning for each resource.
func TestAwayWhileRefreshed(t *testing.T) {
	t.Parallel()
	for _, shut := range []func(*embedetcd.Proxy){(*embedetcd.Proxy).Close, (*embedetcd.Proxy).Freeze} {
		s, proxy := newAjar(t)
		s.Up()
		shut(proxy)
		refreshed := s.quiet(s.Refresh())
		assert.Zero(t, refreshed.Changes["update"]+refreshed.Changes["delete"], "all is as it was")
		said := refreshed.Diagnostics
		for _, what := range []string{"user app", "role app-role", "key /app/settings"} {
			assert.Equal(t, 1, strings.Count(said, what+" could not be read from etcd, and its state was not refreshed: etcd does not answer at "+proxy.Endpoint), said)
		}
		assert.True(t, s.quiet(s.Up("--refresh")).Unchanged())
		proxy.Open()
		assert.True(t, s.quiet(s.Up("--refresh")).Unchanged())
	}
}

// TestAwayWhileDeleted takes a user out of the program while etcd is unavailable.
func TestAwayWhileDeleted(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	s.Up()
	proxy.Close()
	s.without("app")
	said := s.quiet(s.UpFails()).Diagnostics
	assert.Contains(t, said, "user app was not deleted from etcd: etcd does not answer at "+proxy.Endpoint)
	assert.Contains(t, said, "The next `pulumi up` tries again. If the cluster will never return, `pulumi destroy --target 'urn:pulumi:dev::test::quorum:index:EtcdUser::app'`")
	assert.True(t, s.has("EtcdUser"))
	s.UpFails("--refresh")
	assert.True(t, s.has("EtcdUser"), "it is in etcd still")
	proxy.Open()
	assert.Equal(t, "delete EtcdUser", s.quiet(s.Up()).Changed())
	assert.Equal(t, []string{"root"}, s.users())
	assert.False(t, s.has("EtcdUser"))
}

// TestAwayWhileReplaced renames a user in etcd: the old one must go.
func TestAwayWhileReplaced(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	s.Up()
	renamed := strings.Replace(s.program(), `password: "hush-hush-1"`, `name: other, password: "hush-hush-1"`, 1)
	s.Program(renamed)
	s.World.Fail("create", "PrivateKey", "late", "made up: the update stops here")
	s.Program(renamed + `
  late: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P256}, options: {dependsOn: ["${app}"]}}
`)
	s.quiet(s.UpFails())
	assert.Equal(t, []string{"app", "other", "root"}, s.users(), "it stopped in between")
	s.World.Heal("create", "PrivateKey", "late")
	proxy.Close()
	s.Program(renamed)
	assert.Contains(t, s.quiet(s.UpFails()).Diagnostics, "user app was not deleted from etcd")
	proxy.Open()
	s.quiet(s.Up())
	assert.Equal(t, []string{"other", "root"}, s.users())
}

// TestAwayWhileDestroyed wants a stack to go whose etcd is gone, and one of
// which an update failed half-way.
func TestAwayWhileDestroyed(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	s.Up()
	s.without("app")
	proxy.Close()
	s.UpFails()
	gone := s.quiet(s.Destroy())
	assert.Contains(t, gone.Diagnostics, "user app was not deleted from etcd, but removed from the state, as when the stack is destroyed: etcd does not answer at "+proxy.Endpoint)
	assert.Empty(t, s.Resources())
}

// TestForgotten takes out of the state what is in a cluster that is gone, as
// the error of the update says.
func TestForgotten(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	s.Up()
	proxy.Close()
	s.without("app")
	_, command, found := strings.Cut(s.UpFails().Diagnostics, "`pulumi destroy --target '")
	require.True(t, found)
	urn, _, _ := strings.Cut(command, "'")
	s.quiet(s.Destroy("--target", urn))
	assert.False(t, s.has("EtcdUser"))
	assert.True(t, s.Up().Unchanged())
}

// TestNothingOfThePackageLeft: a program without any resource of it is not told
// from a destroy. With etcd there, all is deleted from it.
func TestNothingOfThePackageLeft(t *testing.T) {
	t.Parallel()
	s, proxy := newAjar(t)
	s.Up()
	nothing := "resources:\n  late: {type: \"tls:PrivateKey\", properties: {algorithm: ECDSA, ecdsaCurve: P256}}\n"
	s.Program(nothing)
	s.quiet(s.Up())
	assert.Equal(t, []string{"root"}, s.users())

	s.Program(s.program())
	s.Up()
	s.Program(nothing)
	proxy.Close()
	assert.Contains(t, s.quiet(s.Up()).Diagnostics, "user app was not deleted from etcd, but removed from the state, as when the stack is destroyed")
}

// TestDestroyedByItsProgram has the program run for `destroy`: what it says of
// etcd counts.
func TestDestroyedByItsProgram(t *testing.T) {
	t.Parallel()
	s, _ := newAjar(t)
	s.Up()
	s.quiet(s.Destroy("--run-program"))
	assert.Equal(t, []string{"root"}, s.users())
	assert.Empty(t, s.Resources())
}
