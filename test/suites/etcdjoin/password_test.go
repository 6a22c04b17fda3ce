package etcdjoin

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/real/embedetcd"
)

// rooted is a machine that brings the password of root into force.
type rooted struct {
	t    *testing.T
	etcd embedetcd.Etcd
	root string
	said string
}

func newRooted(t *testing.T) *rooted {
	t.Helper()
	r := &rooted{t: t, etcd: embedetcd.Start(t, false)}
	r.anew()
	return r
}

// anew is another machine in the place of the one that was.
func (r *rooted) anew() {
	r.t.Helper()
	r.root = r.t.TempDir()
	for _, dir := range []string{"etc/etcd/tls", "var/lib/quorum", "bin"} {
		require.NoError(r.t, os.MkdirAll(filepath.Join(r.root, dir), 0o700))
	}
	r.write("etc/etcd/tls/ca.crt", embedetcd.PKI(r.t, "ca.crt"))
}

func (r *rooted) write(path, text string) {
	r.t.Helper()
	require.NoError(r.t, os.WriteFile(filepath.Join(r.root, path), []byte(text), 0o700))
}

// ahead and after have the machine crash next to a command of etcdctl's, once;
// refused has that fail, as without a quorum.
const (
	ahead   = "kill -9 0"
	after   = `/usr/bin/etcdctl "$@"; kill -9 0`
	refused = "echo Error: etcdserver: request timed out >&2; exit 1"
)

// brings runs etcd-auth with this password to bring into force.
func (r *rooted) brings(password string, happens, at string) error {
	r.t.Helper()
	r.write("etc/etcd/root-password", password+"\n")
	once := filepath.Join(r.root, "once")
	if happens != "" {
		r.write("once", "")
	} else {
		happens = ":"
	}
	r.write("bin/etcdctl", "#!/bin/sh\ncase \"$*\" in\n\""+at+"\"*) if [ -f "+once+" ]; then rm "+once+"; "+happens+"; fi ;;\nesac\nexec /usr/bin/etcdctl \"$@\"\n")
	program, err := os.ReadFile(filepath.Join(engine.Root(), "provider", "etcd", "config", "etcd-auth"))
	require.NoError(r.t, err)
	here := strings.NewReplacer("/etc/etcd/", r.root+"/etc/etcd/", "/var/lib/quorum/", r.root+"/var/lib/quorum/",
		"127.0.0.1:2379", r.etcd.Endpoint, "PATH=", "PATH="+r.root+"/bin:")
	cmd := exec.CommandContext(within(r.t, 120), "sh", "-c", here.Replace(string(program)))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the crash ends this one
	out, err := cmd.CombinedOutput()
	r.said += string(out)
	return err
}

// has wants root to have that password, and the machine to know just that.
func (r *rooted) has(password string) {
	r.t.Helper()
	_, err := r.etcd.Client(r.t, "root", password).UserGet(r.t.Context(), "root")
	require.NoError(r.t, err, r.said)
	path := filepath.Join(r.root, "var/lib/quorum/etcd-root-password")
	known, err := os.ReadFile(path)
	require.NoError(r.t, err)
	assert.Equal(r.t, password+"\n", string(known))
	info, err := os.Stat(path)
	require.NoError(r.t, err)
	assert.EqualValues(r.t, 0o600, info.Mode())
	assert.NotContains(r.t, r.said, "pass-")
}

// TestRootPassword has the machine crash next to each step, and get another
// password then: it converges from wherever it was.
func TestRootPassword(t *testing.T) {
	t.Parallel()
	const first, second, third = `pass-1$$'w"#x`, `pass-2\"'%$(id);`, "pass-3"
	const passwd = "user passwd root"
	for name, c := range map[string]struct {
		happens, at string
		fails       bool
	}{
		"nothing happens":           {},
		"a crash before the change": {ahead, passwd, true},
		"a crash after the change":  {after, passwd, true},
		"no quorum for the change":  {refused, passwd, false},
		"no quorum for a question":  {refused, "user get root", false},
	} {
		for then, next := range map[string]string{"the same": second, "another": third, "the one before": first} {
			t.Run(name+", then "+then, func(t *testing.T) {
				t.Parallel()
				r := newRooted(t)
				require.NoError(t, r.brings(first, "", ""), r.said)
				r.has(first)
				err := r.brings(second, c.happens, c.at)
				assert.Equal(t, c.fails, err != nil, r.said)
				require.NoError(t, r.brings(next, "", ""), r.said)
				r.has(next)
			})
		}
	}
}

// TestRootIsMade has the machine crash, or the quorum be away, at each step of
// the first time.
func TestRootIsMade(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"user add root", "user grant-role root root", "auth enable", "user get root"} {
		for name, happens := range map[string]string{"a crash before": ahead, "a crash after": after, "no quorum for": refused} {
			t.Run(name+" "+at, func(t *testing.T) {
				t.Parallel()
				r := newRooted(t)
				err := r.brings("pass-1", happens, at)
				assert.Equal(t, happens != refused, err != nil, r.said)
				require.NoError(t, r.brings("pass-2", "", ""), r.said)
				r.has("pass-2")
			})
		}
	}
}

// TestRootPasswordOfAnotherMachine: a machine that was rebuilt knows no
// password but the one given.
func TestRootPasswordOfAnotherMachine(t *testing.T) {
	t.Parallel()
	r := newRooted(t)
	require.NoError(t, r.brings("pass-1", "", ""), r.said)
	r.anew()
	require.NoError(t, r.brings("pass-1", "", ""), r.said)
	r.has("pass-1")
	r.anew()
	require.Error(t, r.brings("pass-2", "", ""))
	assert.Contains(t, r.said, "Give the one that root has as rootPassword for one update")
	require.NoError(t, r.brings("pass-1", "", ""), r.said)
	require.NoError(t, r.brings("pass-2", "", ""), r.said)
	r.has("pass-2")
}
