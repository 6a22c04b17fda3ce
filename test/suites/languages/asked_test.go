package languages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestAsked has `pulumi install` and `pulumi up` know, from the SDK alone, that a program wants the
// plugin of this package, and from where. They ask for no other: which hypervisor's plugin there
// must be is known when there is a machine.
func TestAsked(t *testing.T) {
	t.Parallel()
	for _, language := range languages {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Folder: filepath.Join("examples", language, "quickstart"), Plugins: []engine.Plugin{}})
			if language == "typescript" { // packages are looked for below the program, and examples share theirs
				project := "{name: test, runtime: nodejs, main: " + filepath.Join(engine.Root(), "examples", language) + "}"
				require.NoError(t, os.WriteFile(filepath.Join(s.Dir(), "Pulumi.yaml"), []byte(project), 0o600))
			}
			alone(t, s)
			from := "https://api.github.com/repos/pulumi-quorum/pulumi-quorum/releases/tags/v" + version.String()
			assert.Contains(t, fails(t, s, "install", "--no-dependencies"), from)
			install(t, s)
			run(t, s, "install", "--no-dependencies")
		})
	}
}

// TestLibvirtPlugin has the CLI look for the plugin that serves machines where a release of it is put.
func TestLibvirtPlugin(t *testing.T) {
	t.Parallel()
	s := engine.New(t, engine.Options{Program: "resources: {}", Plugins: []engine.Plugin{}})
	alone(t, s)
	said := fails(t, s, "plugin", "install", "resource", "libvirt", libvirt.PluginVersion(), "--server", libvirt.PluginServer)
	assert.Contains(t, said, "https://api.github.com/repos/pulumi-quorum/pulumi-quorum/releases/tags/v"+libvirt.PluginVersion())
}

// allModules has Go know all modules of go.mod, of which the host of programs in Go asks. On a new
// machine it knows only those that something was built with.
var allModules = sync.OnceValue(func() error {
	for _, module := range []string{"", "examples/go"} {
		list := exec.Command("go", "list", "-m", "all")
		list.Dir = filepath.Join(engine.Root(), module)
		if text, err := list.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
	}
	return nil
})

// alone leaves the CLI without any network.
func alone(t *testing.T, s *engine.Stack) {
	t.Helper()
	require.NoError(t, allModules())
	s.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	s.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
}

// install does what `make install` does for the provider.
func install(t *testing.T, s *engine.Stack) {
	t.Helper()
	built, err := engine.Quorum.Program()
	require.NoError(t, err)
	run(t, s, "plugin", "install", "resource", "quorum", version.String(), "--file", built)
}
