package provider

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var code = regexp.MustCompile("`([^`]+)`")

// TestMigrating requires each new name that docs/migrating.md gives to an input
// of the Terraform modules to be one of the resources that the table is for.
func TestMigrating(t *testing.T) {
	t.Parallel()
	r := newReference(t)
	r.sections = nil // all that is below too
	kinds := map[string]bool{}
	var known map[string]int // of the table: how many of its resources have the input
	var of int
	for _, line := range strings.Split(read(t, filepath.Join(docs, "migrating.md")), "\n") {
		cells := strings.Split(line, " | ")
		switch {
		case strings.HasPrefix(line, "|---"):
		case !strings.HasPrefix(line, "| ") || len(cells) < 3:
			known = nil
		case known == nil:
			known = map[string]int{}
			resources := code.FindAllStringSubmatch(cells[1], -1)
			require.NotEmptyf(t, resources, "names no resources: %s", line)
			of = len(resources)
			for _, kind := range resources {
				kinds[kind[1]] = true
				for _, in := range r.rows("", r.inputs(kind[1])) {
					known[in.path]++
				}
			}
		default:
			names := code.FindAllStringSubmatch(cells[1], -1)
			assert.Truef(t, len(names) > 0 || cells[1] == "none", "neither new names nor none: %s", line)
			for _, name := range names {
				assert.Equalf(t, of, known[name[1]], "%s is no input of these resources: %s", name[1], line)
			}
		}
	}
	for _, c := range components {
		assert.Truef(t, kinds[c.kind], "no table is for %s", c.kind)
	}
}
