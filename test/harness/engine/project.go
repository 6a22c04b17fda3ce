package engine

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// Program replaces the program.
func (s *Stack) Program(program string) {
	s.t.Helper()
	s.options.Program = program
	head := s.head(map[string]any{"name": s.options.Project, "runtime": "yaml"})
	require.NoError(s.t, os.WriteFile(s.projectFile(), []byte(head+dedent(program)+"\n"), 0o600))
}

// Folder replaces the program by a project of the repository in another language.
func (s *Stack) Folder(path string) {
	s.t.Helper()
	s.Hosts()
	text, err := os.ReadFile(filepath.Join(Root(), path, "Pulumi.yaml"))
	require.NoError(s.t, err)
	var project map[string]any
	require.NoError(s.t, yaml.Unmarshal(text, &project))
	project["name"], project["main"] = s.options.Project, filepath.Join(Root(), path)
	require.NoError(s.t, os.WriteFile(s.projectFile(), []byte(s.head(project)), 0o600))
}

// Hosts lets the CLI run what is written in other languages than YAML.
func (s *Stack) Hosts() {
	s.t.Helper()
	hosts, err := hostDir()
	require.NoError(s.t, err)
	s.Setenv("PATH", strings.Join([]string{filepath.Dir(s.cli), hosts, os.Getenv("PATH")}, string(os.PathListSeparator)))
}

func (s *Stack) projectFile() string { return filepath.Join(s.dir, "Pulumi.yaml") }

// head is a project with the plugins of the stack.
func (s *Stack) head(project map[string]any) string {
	var providers []map[string]string
	for _, plugin := range s.options.Plugins {
		entry, err := plugin.entry()
		require.NoError(s.t, err)
		providers = append(providers, entry)
	}
	project["plugins"] = map[string]any{"providers": providers}
	text, err := yaml.Marshal(project)
	require.NoError(s.t, err)
	return string(text)
}

// dedent lets a test write its program indented.
func dedent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, indent)
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " \t\n")
}
