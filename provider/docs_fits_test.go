package provider

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
)

var fitsTable = regexp.MustCompile(`(?s)(<!-- what fits a machine -->\n).*?(<!-- end -->)`)

// TestDocsOfFits has the code itself say what PostgreSQL's parameters are on machines of some sizes.
func TestDocsOfFits(t *testing.T) {
	t.Parallel()
	memory := []int{4, 16, 64}
	heading, line := "| parameter |", "|---|"
	rows := map[string]string{}
	for _, gib := range memory {
		heading, line = heading+fmt.Sprintf(" %d GiB |", gib), line+"---|"
		for name, value := range (patroni.Config{}).Fitting(patroni.Machine{Memory: gib << 30, Disk: 10 * gib << 30, Processors: gib / 2}) {
			rows[name] += " " + value + " |"
		}
	}
	text := heading + "\n" + line + "\n"
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		text += "| `" + name + "` |" + rows[name] + "\n"
	}
	page := docs + "/sizes.md"
	require.Regexp(t, fitsTable, read(t, page))
	golden(t, page, fitsTable.ReplaceAllString(read(t, page), "${1}"+strings.ReplaceAll(text, "$", "$$")+"${2}"))
}
