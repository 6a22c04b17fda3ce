// Package engine runs Pulumi programs in the real engine for tests.
//
// A Stack is a program with a home, a state and a World of its own. Its
// methods run the CLI and return what the engine did, as Results. The programs
// see the fake libvirt and tls plugins unless a test asks for the real ones.
package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// Options say what a stack is made of.
type Options struct {
	// Program is YAML with resources, variables, outputs: all but the head.
	Program string
	// Folder has a project in another language, to run instead.
	Folder string
	// Plugins are Quorum and the fakes when left empty.
	Plugins []Plugin
	// Config are configuration values ("libvirt:uri": "...").
	Config map[string]string
	// Secrets are those that are encrypted.
	Secrets map[string]string
	// Env is added to the environment of the CLI and the plugins.
	Env map[string]string
	// Project is the name of the project, "test" when left empty.
	Project string
	// World is that of another stack, to share it.
	World World
	// Inside is a command that runs the CLI, as in another network.
	Inside []string
	// Beside is a stack on whose backend this one is too, so that it can refer to it.
	Beside *Stack
}

// Stack is a stack called dev on a backend of its own.
type Stack struct {
	t       testing.TB
	dir     string // of the project
	backend string
	env     []string
	cli     string
	options Options

	// World is what the fake plugins work on.
	World World
}

const (
	stackName  = "dev"
	passphrase = "correct horse"
)

// New makes a stack. Everything it leaves behind is in a directory that is
// removed with the test.
func New(t testing.TB, options Options) *Stack {
	t.Helper()
	cli, err := pulumi()
	require.NoError(t, err)
	if options.Plugins == nil {
		options.Plugins = append([]Plugin{Quorum}, Fakes...)
	}
	if options.Project == "" {
		options.Project = "test"
	}
	home := t.TempDir()
	s := &Stack{t: t, dir: filepath.Join(home, "project"), cli: cli, options: options, World: options.World}
	if s.World.t == nil {
		s.World = World{t, hypervisor.World(filepath.Join(home, "world"))}
	}
	if s.backend = filepath.Join(home, "backend"); options.Beside != nil {
		s.backend = options.Beside.backend
	}
	for _, dir := range []string{s.dir, s.backend, string(s.World.dir)} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	// Where no logs can be, the CLI writes none: they take 40 % of its time.
	require.NoError(t, os.MkdirAll(filepath.Join(home, "home"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, "home", "logs"), nil, 0o600))
	s.env = append(os.Environ(),
		"PULUMI_HOME="+filepath.Join(home, "home"),
		"PULUMI_BACKEND_URL=file://"+s.backend+"?metadata=skip", // else a kill may leave half a file of metadata
		"PULUMI_CONFIG_PASSPHRASE="+passphrase,
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"PULUMI_DEBUG_COMMANDS=true", // for --event-log
		"PATH="+filepath.Dir(cli)+string(os.PathListSeparator)+os.Getenv("PATH"),
		"FAKE_WORLD="+string(s.World.dir),
	)
	for key, value := range options.Env {
		s.env = append(s.env, key+"="+value)
	}
	if options.Folder != "" {
		s.Folder(options.Folder)
	} else {
		s.Program(options.Program)
	}
	s.must("stack", "init", stackName, "--secrets-provider", s.secretsProvider())
	for key, value := range options.Config {
		s.must("config", "set", "--", key, value)
	}
	for key, value := range options.Secrets {
		s.must("config", "set", "--secret", "--", key, value)
	}
	return s
}

// secretsProvider is where the key of the state is kept.
func (s *Stack) secretsProvider() string {
	if s.options.Inside != nil { // out of reach
		return "passphrase"
	}
	s.Setenv("VAULT_SERVER_URL", vault())
	s.Setenv("VAULT_SERVER_TOKEN", "none")
	return "hashivault://quorum"
}

// Plugins has the same program go on with other plugins.
func (s *Stack) Plugins(plugins ...Plugin) {
	s.t.Helper()
	s.options.Plugins = plugins
	s.Program(s.options.Program)
}

// Setenv changes the environment of the commands that follow.
func (s *Stack) Setenv(key, value string) {
	s.env = append(s.env, key+"="+value)
}

// Dir is the directory of the project: relative files of a program are there.
func (s *Stack) Dir() string { return s.dir }

// Run runs any command of the CLI in the project.
func (s *Stack) Run(args ...string) (stdout, stderr string, err error) {
	var out, errs strings.Builder
	cmd := s.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

func (s *Stack) command(args ...string) *exec.Cmd {
	line := slices.Concat(s.options.Inside, []string{s.cli, "--non-interactive", "--color=never"}, args)
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Dir, cmd.Env = s.dir, s.env
	return cmd
}

func (s *Stack) must(args ...string) string {
	s.t.Helper()
	stdout, stderr, err := s.Run(args...)
	require.NoError(s.t, err, "pulumi %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout
}
