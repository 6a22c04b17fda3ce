// Package auth has the real engine keep users, roles and keys in a real etcd.
package auth

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// program gives its secrets in plain, but for one that preview does not know:
// they must be hidden all the same.
const program = `
variables:
  etcd: {endpoints: ["%s"], caCert: %q, username: %s, password: %s}
resources:
  app-role: {type: "quorum:EtcdRole", properties: {etcd: "${etcd}", permissions: %s}}
  app: {type: "quorum:EtcdUser", properties: {etcd: "${etcd}", password: %q, roles: %s}}
  key: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P256}}
  settings: {type: "quorum:EtcdKey", properties: {etcd: "${etcd}", key: /app/settings, value: "${key.privateKeyPem}"}}
`

// stack is a program and the etcd that it works on.
type stack struct {
	*engine.Stack
	t    *testing.T
	etcd embedetcd.Etcd
	root *clientv3.Client

	user, password, permissions, appPassword, roles, more string
}

func newStack(t *testing.T) *stack {
	t.Helper()
	etcd := embedetcd.Start(t, false)
	s := &stack{
		t: t, etcd: etcd, root: etcd.Root(t), user: "root", password: embedetcd.RootPassword, appPassword: "hush-hush-1",
		permissions: "[{prefix: /app/, permission: read}, {key: /x, permission: write}]", roles: `["${app-role.name}"]`,
	}
	s.Stack = engine.New(t, engine.Options{
		Program: s.program(), Plugins: []engine.Plugin{engine.Quorum, engine.FakeTLS},
		Env: map[string]string{ // for imports
			"ETCDCTL_ENDPOINTS": etcd.Endpoint, "ETCDCTL_USER": "root:" + embedetcd.RootPassword,
			"ETCDCTL_CACERT": filepath.Join(engine.Root(), "provider", "testdata", "pki", "ca.crt"),
		},
	})
	return s
}

func (s *stack) program() string {
	return fmt.Sprintf(program, s.etcd.Endpoint, embedetcd.PKI(s.t, "ca.crt"), s.user, s.password, s.permissions, s.appPassword, s.roles) + s.more
}

// change changes the program.
func (s *stack) change(field *string, to string) {
	s.t.Helper()
	*field = to
	s.Program(s.program())
}

// quiet wants no secret in what a command said, and none in the state.
func (s *stack) quiet(r engine.Result) engine.Result {
	s.t.Helper()
	for _, secret := range []string{"hush-hush", embedetcd.RootPassword, "PRIVATE KEY"} {
		for _, text := range []string{r.Stdout, r.Stderr, r.Diagnostics, string(r.Events), s.Export()} {
			require.NotContains(s.t, text, secret)
		}
	}
	return r
}

func (s *stack) do(_ any, err error) { s.t.Helper(); require.NoError(s.t, err) }

func TestLife(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.quiet(s.Preview("--diff"))
	assert.Equal(t, "create EtcdKey, create EtcdRole, create EtcdUser, create PrivateKey, create Stack", s.quiet(s.Up("--diff")).Changed())
	assert.True(t, s.Up().Unchanged())

	// Somebody else changes all three.
	s.do(s.root.RoleRevokePermission(t.Context(), "app-role", "/x", ""))
	s.do(s.root.UserChangePassword(t.Context(), "app", "hush-hush-other"))
	s.do(s.root.Put(t.Context(), "/app/settings", "hush-hush-other"))
	s.quiet(s.Refresh("--diff"))
	drift := s.quiet(s.Preview("--diff"))
	for _, text := range []string{"+ password: [secret]", "~ value: [secret] => [secret]", `+ [1]: {`} {
		assert.Contains(t, drift.Stdout, text)
	}
	assert.Equal(t, "update EtcdKey, update EtcdRole, update EtcdUser", s.quiet(s.Up("--diff")).Changed())
	assert.True(t, s.Up("--refresh").Unchanged())

	// A change is that of what differs: order does not.
	s.change(&s.permissions, "[{key: /x, permission: readwrite}, {prefix: /app/, permission: read}]")
	up := s.quiet(s.Up("--diff"))
	assert.Equal(t, "update EtcdRole", up.Changed())
	assert.Contains(t, up.Stdout, `permission: "readwrite"`)
	assert.NotContains(t, up.Stdout, "/app/")

	// Another way to reach etcd touches nothing there.
	s.do(s.root.UserAdd(t.Context(), "admin", "hush-hush-3"))
	s.do(s.root.UserGrantRole(t.Context(), "admin", "root"))
	revision := func() uint64 {
		status, err := s.root.AuthStatus(t.Context())
		require.NoError(t, err)
		return status.AuthRevision
	}
	before := revision()
	s.user = "admin"
	s.change(&s.password, "hush-hush-3")
	assert.Equal(t, "update EtcdKey, update EtcdRole, update EtcdUser", s.quiet(s.Up("--diff")).Changed())
	assert.Equal(t, before, revision())

	s.etcd.Stop()
	gone := s.quiet(s.Destroy())
	assert.Contains(t, gone.Diagnostics, "user app was not deleted from etcd, but removed from the state, as when the stack is destroyed: etcd does not answer at "+s.etcd.Endpoint+": connection refused")
	assert.Len(t, s.Resources(), 0)
}

func TestStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.change(&s.roles, `["${app-role.name}", late]`)
	assert.Contains(t, s.quiet(s.UpFails()).Diagnostics, "grant role late to user app: etcdserver: role name not found")
	s.do(s.root.RoleAdd(t.Context(), "late"))
	assert.Equal(t, "update EtcdUser", s.quiet(s.Up()).Changed())
	found, err := s.root.UserGet(t.Context(), "app")
	require.NoError(t, err)
	assert.Equal(t, []string{"app-role", "late"}, found.Roles)

	s.roles = "[late, late]"
	s.change(&s.appPassword, "hush-hush-1\nhush-hush-2")
	refused := s.quiet(s.PreviewFails())
	assert.Contains(t, refused.Diagnostics, "resource 'app' has a problem: password: must be one line, and not empty")
	assert.Contains(t, refused.Diagnostics, "resource 'app' has a problem: roles[1]: must differ from roles[0]")
}

func TestImport(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	s.do(s.root.RoleAdd(t.Context(), "old"))
	s.do(s.root.RoleGrantPermission(t.Context(), "old", "/old/", "/old0", clientv3.PermissionType(clientv3.PermRead)))
	s.do(s.root.UserAdd(t.Context(), "old", "hush-hush-old"))
	s.do(s.root.UserGrantRole(t.Context(), "old", "old"))
	s.do(s.root.Put(t.Context(), "/old", "hush-hush-old"))
	for kind, id := range map[string]string{"EtcdRole": "old", "EtcdUser": "old", "EtcdKey": "/old"} {
		stdout, stderr, err := s.Run("import", "quorum:index:"+kind, "old-"+kind, id, "--yes", "--skip-preview", "--protect=false", "--generate-code=false")
		require.NoError(t, err, stdout+stderr)
		s.quiet(engine.Result{Stdout: stdout, Stderr: stderr})
	}
	s.change(&s.more, `
  old-EtcdRole: {type: "quorum:EtcdRole", properties: {etcd: "${etcd}", name: old, permissions: [{prefix: /old/, permission: read}]}}
  old-EtcdUser: {type: "quorum:EtcdUser", properties: {etcd: "${etcd}", name: old, password: hush-hush-old, roles: [old]}}
  old-EtcdKey: {type: "quorum:EtcdKey", properties: {etcd: "${etcd}", key: /old, value: hush-hush-old}}
`)
	up := s.quiet(s.Up("--diff"))
	assert.Equal(t, 3, up.Changes["update"], "the secrets of the connection come from the program")
	step, updated := up.Step("update", "EtcdUser", "old-EtcdUser")
	assert.True(t, updated)
	assert.ElementsMatch(t, []string{"etcd", "password"}, step.Keys, "which nobody tells")
	assert.Zero(t, up.Changes["replace"])
	assert.True(t, s.Up().Unchanged())
}
