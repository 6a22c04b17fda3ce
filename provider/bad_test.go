package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBadInputs refuses each file in the folder bad of a resource's testdata,
// laid over the minimal inputs, with just the problems that it says it wants.
func TestBadInputs(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(components, clusters, customs, guards, []component{securityGroups}) {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			c.testBadInputs(t)
		})
	}
}

func (c component) testBadInputs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", c.folder, "bad", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	spec := c.schema(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			require.NoError(t, err)
			want, never, previewOnly := expectations(string(b))
			in := merge(c.inputs(t, c.base), readInputs(t, string(b)))
			for _, preview := range []bool{true, false} {
				if previewOnly && !preview {
					continue
				}
				got := c.problems(t, in, preview)
				slices.Sort(want)
				slices.Sort(got)
				if *update && !slices.Equal(want, got) {
					require.NoError(t, os.WriteFile(file, []byte(withLines(string(b), "# want: ", got)), 0o600))
					want = got
				}
				assert.Equal(t, strings.Join(want, "\n"), strings.Join(got, "\n"))
				for _, line := range got {
					path, _, _ := strings.Cut(line, ": ")
					assert.Truef(t, isInput(spec, path), "%s is no path of the schema", path)
				}
				for _, secret := range never {
					assert.NotContains(t, strings.Join(got, "\n"), secret)
				}
			}
		})
	}
}

// withLines is the text of a case with other lines at its head, each with such a prefix.
func withLines(text, prefix string, lines []string) (all string) {
	for _, line := range lines {
		all += prefix + line + "\n"
	}
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, prefix) {
			all += line
		}
	}
	return all
}

// schema is that of the package, with a type of all inputs of the resource.
func (c component) schema(t testing.TB) schema.PackageSpec {
	t.Helper()
	spec := schemaOf[schema.PackageSpec](t)
	inputs := schema.ObjectTypeSpec{Properties: spec.Resources["quorum:index:"+c.kind].InputProperties}
	spec.Types["inputs"] = schema.ComplexTypeSpec{ObjectTypeSpec: inputs}
	return spec
}

// isInput reports whether a path leads through all inputs of a resource.
func isInput(spec schema.PackageSpec, path string) bool {
	return resolves(spec, schema.TypeSpec{Ref: "#/types/inputs"}, stepsOf(path), true)
}

// problems are what a resource has against its inputs. While it has any,
// nothing may be registered.
func (c component) problems(t *testing.T, in property.Map, preview bool) (lines []string) {
	if slices.ContainsFunc(slices.Concat(customs, guards), func(other component) bool { return other.kind == c.kind }) {
		resp, err := newServer(t, nil).Check(p.CheckRequest{Urn: c.urn(), Inputs: in})
		require.NoError(t, err)
		for _, failure := range resp.Failures {
			lines = append(lines, failure.Reason)
		}
		return lines
	}
	w, _, err := construct(t, c, in, preview)
	if err == nil {
		return nil
	}
	title, rest, _ := strings.Cut(err.Error(), "\n")
	assert.Equal(t, "its inputs are refused:", title)
	for _, line := range strings.Split(rest, "\n") {
		lines = append(lines, strings.TrimSpace(line))
	}
	assert.Empty(t, w.children)
	return lines
}

func expectations(text string) (want, never []string, previewOnly bool) {
	for _, line := range strings.Split(text, "\n") {
		if s, ok := strings.CutPrefix(line, "# want: "); ok {
			want = append(want, s)
		}
		if s, ok := strings.CutPrefix(line, "# not: "); ok {
			never = append(never, s)
		}
		previewOnly = previewOnly || line == "# preview"
	}
	return want, never, previewOnly
}

// resolves reports whether the steps of a path lead through the schema. The last one
// may be a name that the schema does not have, if that may be the problem itself.
func resolves(spec schema.PackageSpec, of schema.TypeSpec, steps []string, unknown bool) bool {
	switch object, named := spec.Types[strings.TrimPrefix(of.Ref, "#/types/")]; {
	case len(steps) == 0:
		return true
	case steps[0] == "[]":
		return of.Items != nil && resolves(spec, *of.Items, steps[1:], unknown)
	case of.AdditionalProperties != nil: // a key may have dots
		return slices.ContainsFunc(steps, func(string) bool { steps = steps[1:]; return resolves(spec, *of.AdditionalProperties, steps, unknown) })
	case !named:
		return false
	default:
		property, known := object.Properties[steps[0]]
		return known && resolves(spec, property.TypeSpec, steps[1:], unknown) || !known && unknown && len(steps) == 1
	}
}

// stepsOf splits a path: networks[0].ip is networks, [], ip.
func stepsOf(path string) []string {
	path = regexp.MustCompile(`\["[^"]*"\]`).ReplaceAllString(path, ".key")
	return strings.Split(regexp.MustCompile(`\[\d+\]`).ReplaceAllString(path, ".[]"), ".")
}
