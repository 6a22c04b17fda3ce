package languages

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

var edit = regexp.MustCompile(`(?m)^sed .*$`)

// restored is a program in YAML as the page has one edit it to bring everything back. The second
// edit that the page has takes that back.
func restored(t *testing.T, stack string) string {
	t.Helper()
	examples := filepath.Join(engine.Root(), "examples", "platform")
	page, err := os.ReadFile(filepath.Join(examples, "README.md"))
	require.NoError(t, err)
	edits, dir := edit.FindAllString(string(page), -1), t.TempDir()
	require.Len(t, edits, 2)
	require.NoError(t, os.CopyFS(dir, os.DirFS(examples)))
	read := func() string {
		text, err := os.ReadFile(filepath.Join(dir, stack, "Pulumi.yaml"))
		require.NoError(t, err)
		_, program, _ := strings.Cut(string(text), "runtime: yaml\n")
		return program
	}
	run := func(command string) {
		bash := exec.Command("bash", "-c", command)
		bash.Dir = dir
		out, err := bash.CombinedOutput()
		require.NoError(t, err, "%s: %s", command, out)
	}
	before := read()
	run(edits[0])
	program := read()
	run(edits[1])
	assert.Equal(t, before, read())
	return program
}
