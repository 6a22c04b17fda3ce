package provider

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExamples previews the example of each resource, and finds it in its
// description.
func TestExamples(t *testing.T) {
	t.Parallel()
	spec := schemaOf[schema.PackageSpec](t)
	for _, c := range slices.Concat(components, clusters, customs, []component{securityGroups}) {
		if c.kind == "MachineChange" {
			continue // each server makes its own
		}
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			source := read(t, filepath.Join("examples", c.kind+".yaml"))
			p := readProgram(t, source)
			assert.Contains(t, source, "type: quorum:"+c.kind+"\n")
			p.preview(t)
			title, rest, _ := strings.Cut(source, "\n")
			description := spec.Resources["quorum:index:"+c.kind].Description
			assert.Contains(t, description, strings.Replace(title, "# ", "### ", 1)+"\n", "make generate")
			assert.Contains(t, description, "```yaml\n"+rest+"```\n", "make generate")
		})
	}
	for token, function := range spec.Functions {
		source := read(t, filepath.Join("examples", strings.TrimPrefix(token, "quorum:index:")+".yaml"))
		_, rest, _ := strings.Cut(source, "\n")
		assert.Contains(t, source, "function: "+strings.Replace(token, ":index:", ":", 1)+"\n")
		assert.Contains(t, function.Description, "```yaml\n"+rest+"```\n", "make generate")
	}
	// what is left of a resource that went
	programs, err := filepath.Glob("examples/*.yaml")
	require.NoError(t, err)
	shown, err := filepath.Glob("examples/*.md")
	require.NoError(t, err)
	assert.Len(t, shown, len(programs))
}
