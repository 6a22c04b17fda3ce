package haproxy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/haproxy"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/golden"
)

const program = "/usr/sbin/haproxy"

func needHaproxy(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skip("HAProxy is not installed: tools/setup test installs it")
	}
}

// install puts files of /etc/haproxy into a directory, and tells them so.
func install(t *testing.T, files map[string]string) (conf string) {
	t.Helper()
	home := t.TempDir()
	for path, content := range files {
		if at, ours := strings.CutPrefix(path, "/etc/haproxy/"); ours {
			at = filepath.Join(home, at)
			require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o755))
			require.NoError(t, os.WriteFile(at, []byte(strings.ReplaceAll(content, "/etc/haproxy/", home+"/")), 0o600))
		}
	}
	return filepath.Join(home, "haproxy.cfg")
}

// TestGoldenConfigurations has HAProxy itself judge what each case of the
// component gives.
func TestGoldenConfigurations(t *testing.T) {
	t.Parallel()
	needHaproxy(t)
	for name, files := range golden.Files(t, "postgres-load-balancer") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conf := install(t, files)
			text, err := os.ReadFile(conf)
			require.NoError(t, err)
			assert.NotRegexp(t, `rstring|regex|-m reg`, string(text), "HAProxy compiles expressions to code, which MemoryDenyWriteExecute forbids on the machine")
			said, err := exec.Command(program, "-c", "-f", conf).CombinedOutput()
			require.NoError(t, err, string(said))
			assert.NotContains(t, string(said), "WARNING")

			// It is no judge if it takes anything.
			require.NoError(t, os.Remove(filepath.Join(filepath.Dir(conf), "patroni", "ca.crt")))
			require.Error(t, exec.Command(program, "-c", "-f", conf).Run())
		})
	}
}

func TestReload(t *testing.T) {
	t.Parallel()
	service := func(change func(*haproxy.Config)) guest.Service {
		c := haproxy.Config{IPs: []string{"10.77.0.30"}, Haproxy: haproxy.Settings{Servers: []string{"10.77.0.31"}}}
		change(&c)
		s, err := c.State()
		require.NoError(t, err)
		return s.Services[0]
	}
	same := service(func(*haproxy.Config) {})
	for name, change := range map[string]func(*haproxy.Config){
		"servers":   func(c *haproxy.Config) { c.Haproxy.Servers = []string{"10.77.0.32"} },
		"authority": func(c *haproxy.Config) { c.CACert = "another" },
	} {
		changed := service(change)
		assert.NotEqual(t, same.Check.Contains, changed.Check.Contains, "%s: a reload that was not done would pass", name)
		changed.Check = same.Check
		assert.Equal(t, same, changed, "%s: reload, do not restart", name)
	}
}

// TestRegistry requires the image to be that of the registry, and its password in
// a file for root alone.
func TestRegistry(t *testing.T) {
	t.Parallel()
	image, user, password := "library/haproxy:2.8", "it's $me", "pa$$'word"
	for url, want := range map[string]string{
		"https://registry.example.org":           "registry.example.org/library/haproxy:2.8",
		"https://registry.example.org:5000/":     "registry.example.org:5000/library/haproxy:2.8",
		"https://registry.example.org/mirror/x/": "registry.example.org/mirror/x/library/haproxy:2.8",
		"https://registry":                       "registry:443/library/haproxy:2.8",
		"http://registry":                        "registry:80/library/haproxy:2.8",
	} {
		c := haproxy.Config{IPs: []string{"10.77.0.30"}, Registry: &haproxy.Registry{URL: url, Image: &image, Username: &user, Password: &password}}
		s, err := c.State()
		require.NoError(t, err)
		files := map[string]guest.File{}
		for _, f := range s.Files {
			files[f.Path] = f
			if strings.Contains(f.Content, password) {
				assert.Equal(t, "/etc/haproxy-container/registry-password root 0600", f.Path+" "+f.Owner+" "+f.Mode)
			}
		}
		assert.Contains(t, files, "/etc/haproxy-container/registry-password")
		conf := install(t, map[string]string{"/etc/haproxy/container.conf": files["/etc/haproxy-container/container.conf"].Content})
		said, err := exec.Command("sh", "-c", `. "$0" && echo "$image $username"`, filepath.Join(filepath.Dir(conf), "container.conf")).CombinedOutput()
		require.NoError(t, err, string(said))
		assert.Equal(t, want+" "+user+"\n", string(said))
	}
}

// TestDigest warns of an image that may be another one tomorrow.
func TestDigest(t *testing.T) {
	t.Parallel()
	registry := func(image *string) *haproxy.Registry {
		return &haproxy.Registry{URL: "https://registry.example.org", Image: image}
	}
	fixed, tag := "haproxy@sha256:"+strings.Repeat("0", 64), "haproxy:3.0"
	require.Empty(t, (*haproxy.Registry)(nil).Warnings())
	require.Empty(t, registry(&fixed).Warnings())
	require.Len(t, registry(&tag).Warnings(), 1)
	require.Len(t, registry(nil).Warnings(), 1)
}
