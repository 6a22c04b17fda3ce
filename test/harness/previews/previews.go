// Package previews compares what previews tell a person with files in testdata/previews.
package previews

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// What is another one in each run.
var (
	id      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{7,8}\b`)
	ends    = regexp.MustCompile(`(?m)^error: .*(: grpc: the client connection is closing|: rpc error: code = Canceled desc = context canceled.*|: not all of its resources could be .*)\n?`) // after another error
	warning = regexp.MustCompile(`(?m)^warning: .*\n(  .*\n)*`)
	date    = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)
)

var update = flag.Bool("update", false, "rewrite the texts of previews in testdata")

// Reads compares all that a preview says with a file, whatever the addresses, dates and ids of this run are.
func Reads(t testing.TB, name, subnet string, preview engine.Result) {
	t.Helper()
	all := func(text string) string { return text }
	said := date.ReplaceAllString(sorted(ends.ReplaceAllString(preview.Diagnostics, "")), "DATE")
	if strings.Contains(said, "\nerror: ") || strings.HasPrefix(said, "error: ") { // which ends it: not all warnings come before that each time
		all = func(text string) string { return warning.ReplaceAllString(text, "") }
	}
	isAsIn(t, name+".txt", subnet, said, all)
	for line := range strings.Lines(preview.Diagnostics) {
		assert.Contains(t, preview.Stdout+preview.Stderr, strings.TrimSpace(line), "%s: a person reads it", name)
	}
}

// sorted has warnings first, in the order of their texts: they are of different resources, and come as
// these do.
func sorted(diagnostics string) string {
	var warnings []string
	rest := warning.ReplaceAllStringFunc(diagnostics, func(one string) string {
		warnings = append(warnings, one)
		return ""
	})
	slices.Sort(warnings)
	return strings.Join(warnings, "") + rest
}

// Shows compares what a preview with --diff shows of the resources with a file: by their names, for
// the order of some is not the same each time, and whatever their ids are.
func Shows(t testing.TB, name, subnet string, preview engine.Result) {
	t.Helper()
	named, begins := regexp.MustCompile(`(?m)\n +\[id=.*\n +\[urn=.*::(.*)\]\n +\[provider=.*\n`), regexp.MustCompile(`(?m)^    [~+-][ -]`)
	said, _, _ := strings.Cut(named.ReplaceAllString(preview.Stdout, " $1\n"), "Resources:\n")
	var blocks []string
	for i, starts := 0, begins.FindAllStringIndex(said, -1); i < len(starts); i++ {
		end := len(said)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		blocks = append(blocks, said[starts[i][0]:end])
	}
	slices.SortFunc(blocks, func(a, b string) int {
		return strings.Compare(strings.SplitN(a, ") ", 2)[1], strings.SplitN(b, ") ", 2)[1])
	})
	isAsIn(t, name+".diff", subnet, strings.Join(blocks, ""), func(text string) string { return text })
}

// isAsIn compares what counts of a text with a file.
func isAsIn(t testing.TB, name, subnet, said string, counts func(string) string) {
	t.Helper()
	said = strings.ReplaceAll(id.ReplaceAllString(said, "ID"), subnet+".", "192.0.2.")
	file := filepath.Join("testdata", "previews", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(said), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test with -update once")
	assert.Equal(t, counts(string(want)), counts(said), "-update rewrites %s", file)
}
