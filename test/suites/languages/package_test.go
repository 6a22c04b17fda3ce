package languages

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/version"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

const mistake = "resources: {role: {type: quorum:EtcdRole, properties: {name: zones}}}"

// TestPackageAdd makes the SDK of a project from the plugin, without any network. With it, YAML is
// checked for types.
func TestPackageAdd(t *testing.T) {
	t.Parallel()
	built, err := engine.Quorum.Program()
	require.NoError(t, err)

	t.Run("installed", func(t *testing.T) {
		t.Parallel()
		s := added(t)
		install(t, s)
		run(t, s, "package", "add", "quorum")
		assert.Contains(t, project(t, s), "quorum: quorum@"+version.String())
		run(t, s, "install")
		assert.Contains(t, s.PreviewFails().Diagnostics, "etcd: Missing required property 'etcd'")
	})

	// What is written of a file is its name and version, so the plugin must be installed too, or the
	// CLI asks Pulumi's registry.
	t.Run("built", func(t *testing.T) {
		t.Parallel()
		s := added(t)
		run(t, s, "package", "add", built)
		assert.Contains(t, project(t, s), "quorum: quorum@"+version.String())
		assert.Contains(t, fails(t, s, "install"), "registry query error")
		install(t, s)
		run(t, s, "install")
		assert.Contains(t, s.PreviewFails().Diagnostics, "etcd: Missing required property 'etcd'")
	})

	// Of source, the CLI installs first the plugins of all modules that go.mod requires.
	t.Run("source", func(t *testing.T) {
		t.Parallel()
		s := added(t)
		source := filepath.Join(engine.Root(), "provider", "cmd", "pulumi-resource-quorum")
		assert.Regexp(t, `/pulumi-resource-(libvirt|openstack|tls)-v`, fails(t, s, "package", "add", source))
		for _, required := range required(t) {
			run(t, s, "plugin", "install", "resource", required[0], required[1], "--file", built) // nobody runs it
		}
		run(t, s, "package", "add", source)
		assert.Contains(t, project(t, s), "quorum: "+source)
		assert.Contains(t, s.PreviewFails().Diagnostics, "etcd: Missing required property 'etcd'")
	})
}

// required are the names and versions of the plugins whose SDKs the provider uses.
func required(t *testing.T) (plugins [][2]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(engine.Root(), "go.mod"))
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`pulumi/pulumi-(\w+)/sdk\S* v(\S+)`).FindAllStringSubmatch(string(text), -1) {
		plugins = append(plugins, [2]string{found[1], found[2]})
	}
	require.Len(t, plugins, 3)
	return plugins
}

// added is a stack that packages are to be added to.
func added(t *testing.T) *engine.Stack {
	t.Helper()
	s := engine.New(t, engine.Options{Program: mistake})
	s.Hosts()
	alone(t, s)
	return s
}

func run(t *testing.T, s *engine.Stack, args ...string) {
	t.Helper()
	_, stderr, err := s.Run(args...)
	require.NoError(t, err, stderr)
}

func fails(t *testing.T, s *engine.Stack, args ...string) string {
	t.Helper()
	_, stderr, err := s.Run(args...)
	require.Error(t, err)
	return stderr
}

func project(t *testing.T, s *engine.Stack) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Dir(), "Pulumi.yaml"))
	require.NoError(t, err)
	return string(text)
}
