package provider

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var everything = slices.Concat(components, clusters, []component{securityGroups}, customs, guards)

// cases are the names of those that lie in testdata.
func (c component) cases(t testing.TB) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", c.folder, "*", "inputs.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		names = append(names, filepath.Base(filepath.Dir(file)))
	}
	return names
}

// quick are the inputs of a case without the console's password, whose hash takes long.
func (c component) quick(t testing.TB, name string) property.Map {
	t.Helper()
	return c.inputs(t, name).Delete("adminUserPassword")
}

func (c component) isCustom() bool { return slices.Contains(slices.Concat(customs, guards), c) }

var unknown = property.New(property.Computed)

// notKnown begins what a preview says when it had to guess.
const notKnown = "not known before the update: "

// TestUnknownAnywhere gives every case, in a preview, an unknown value wherever
// there can be a value. What is there turns out to be good, so that nothing may
// be refused; what the preview shows as known must turn out so, unless it says
// that it cannot know.
func TestUnknownAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range everything {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			w, spec := newWire(t), c.schema(t)
			seen := map[string]bool{}
			for _, name := range c.cases(t) {
				in := c.quick(t, name)
				known := w.plan(t, c, in, true)
				require.NoError(t, known.err, name)
				for _, p := range placesOf(spec, c, in) {
					if seen[p.kind()] {
						continue // it was tried in another case, or element
					}
					seen[p.kind()] = true
					w.plansWithout(t, c, name, in, p, known)
				}
			}
		})
	}
}

func (w *wire) plansWithout(t *testing.T, c component, name string, in property.Map, p place, known outcome) {
	t.Helper()
	made := w.plan(t, c, p.with(in, unknown), true)
	if !assert.NoErrorf(t, made.err, "%s: %s is unknown", name, p.text) {
		return
	}
	assert.Emptyf(t, w.checkChildren(t, made), "%s: %s is unknown", name, p.text)
	if wrong := contradictions(made, known); p.given && len(wrong) > 0 {
		assert.Truef(t, made.says(notKnown+p.text), "%s: %s is unknown, and the preview does not say what follows:\n%s\n%s",
			name, p.text, strings.Join(wrong[:min(5, len(wrong))], "\n"), strings.Join(made.messages, "\n"))
	}
	for _, m := range made.messages {
		assert.Truef(t, slices.Contains(known.messages, m) || strings.HasPrefix(m, notKnown), "%s: %s is unknown: %s", name, p.text, m)
	}
}
