package change

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNeeding is of settings for which a database restarts: of a list of texts, only for some items.
func TestNeeding(t *testing.T) {
	t.Parallel()
	const audit, cron, buffers = "postgres.extensions[pgaudit]", "postgres.extensions[pg_cron]", "postgres.params.shared_buffers"
	list := differ{paths: []string{"postgres.extensions"}}
	assert.Equal(t, []string{"extensions"}, list.needing(nil, []string{audit}), "one that comes")
	assert.Equal(t, []string{"extensions"}, list.needing([]string{audit, cron}, []string{cron}), "one that goes")
	assert.Empty(t, list.needing([]string{audit, buffers}, []string{audit, buffers}), "others of the list differ")
	assert.Equal(t, []string{"extensions"}, list.needing(nil, []string{"postgres.extensions"}), "a secret list")
	assert.Equal(t, []string{"shared_buffers"}, differ{paths: []string{buffers}}.needing([]string{buffers}, []string{buffers}))
	assert.Equal(t, []string{"params"}, differ{paths: []string{"postgres.params"}}.needing([]string{buffers}, []string{buffers}), "a map that is not known")
}

// TestHeadingOfMany says where the rest of many settings is.
func TestHeadingOfMany(t *testing.T) {
	t.Parallel()
	var few, many telling
	few.heading("main", "it is", differ{lines: slices.Repeat([]string{"a: 1 -> 2"}, 16), known: true}, false, true)
	assert.NotContains(t, few.String(), "more")
	many.heading("main", "it is", differ{lines: slices.Repeat([]string{"a: 1 -> 2"}, 18), known: true}, false, true)
	assert.True(t, strings.HasSuffix(many.String(), "    a: 1 -> 2\n    and 3 more: see --diff"), many.String())
}
