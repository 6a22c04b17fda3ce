// Package previews compares what previews tell a person with files in testdata/previews.
package previews

import (
	"cmp"
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
	id       = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{7,8}\b`)
	ends     = regexp.MustCompile(`(?m)^error: .*(: grpc: the client connection is closing|: rpc error: code = Canceled desc = context canceled.*|: not all of its resources could be .*)\n?`) // after another error
	warning  = regexp.MustCompile(`(?m)^warning: .*\n(  .*\n)*`)
	refused  = regexp.MustCompile(`(?m)^error: `)
	pem      = regexp.MustCompile(`-----BEGIN [^"\n]*`)
	mac      = regexp.MustCompile(`52:54:00(:[0-9a-f]{2}){3}`) // of the addresses
	progress = regexp.MustCompile(`(?m)^@ previewing .*\n`)
	date     = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)
)

// screen is how many rows a terminal has, and so a preview may.
const screen = 24

var update = flag.Bool("update", false, "rewrite the texts of previews in testdata")

// Reads compares all that a preview says with a file, whatever the addresses, dates and ids of this run are.
func Reads(t testing.TB, name, subnet string, preview engine.Result) {
	t.Helper()
	assert.LessOrEqual(t, rows(preview.Diagnostics), screen, "%s: a screen shows it whole", name)
	isAsIn(t, name+".txt", subnet, date.ReplaceAllString(sorted(ends.ReplaceAllString(preview.Diagnostics, "")), "DATE"))
	for line := range strings.Lines(preview.Diagnostics) {
		assert.Contains(t, preview.Stdout+preview.Stderr, strings.TrimSpace(line), "%s: a person reads it", name)
	}
}

// rows are those that a terminal of 80 columns needs.
func rows(text string) (n int) {
	for line := range strings.Lines(text) {
		n += 1 + (len(strings.TrimSuffix(line, "\n"))-1)/80
	}
	return n
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
	named, begins := regexp.MustCompile(`(?m)(?:\n +\[id=.*)?\n +\[urn=.*::(.*)\](?:\n +\[provider=.*)?\n`), regexp.MustCompile(`(?m)^    [~+-][ -].*: \([a-z]+\)`)
	said, _, _ := strings.Cut(named.ReplaceAllString(progress.ReplaceAllString(preview.Stdout, ""), " $1\n"), "Resources:\n")
	var blocks []string
	for i, starts := 0, begins.FindAllStringIndex(said, -1); i < len(starts); i++ {
		end := len(said)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		blocks = append(blocks, said[starts[i][0]:end])
	}
	slices.SortFunc(blocks, func(a, b string) int {
		_, nameA, _ := strings.Cut(a, ") ")
		_, nameB, _ := strings.Cut(b, ") ")
		return cmp.Or(strings.Compare(nameA, nameB), strings.Compare(a, b))
	})
	isAsIn(t, name+".diff", subnet, date.ReplaceAllString(mac.ReplaceAllString(pem.ReplaceAllString(strings.Join(blocks, ""), "PEM"), "MAC"), "DATE"))
}

// isAsIn compares a text with a file.
func isAsIn(t testing.TB, name, subnet, said string) {
	t.Helper()
	said = strings.ReplaceAll(id.ReplaceAllString(said, "ID"), subnet+".", "192.0.2.")
	file := filepath.Join("testdata", "previews", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(said), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run go test with -update once")
	assert.Equal(t, string(want), withLate(said, string(want)), "-update rewrites %s", file)
}

// withLate is what a refused preview says with those warnings of a file that did not come before its error
// ended it. One that is not in the file stays a difference.
func withLate(said, want string) string {
	if !refused.MatchString(said) {
		return said
	}
	var late strings.Builder
	for _, one := range warning.FindAllString(want, -1) {
		if !strings.Contains(said, one) {
			late.WriteString(one)
		}
	}
	return sorted(late.String() + said)
}
