package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// program is what an example shows of a Pulumi program.
type program struct {
	Variables map[string]yaml.Node
	Resources map[string]struct {
		Type       string
		Properties yaml.Node
	}
}

var (
	fenced        = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$")
	interpolation = regexp.MustCompile(`^\$\{([\w-]+)\}$`)
)

// TestExamplesInDocs previews the resources that examples in documents show.
// What these refer to is unknown, unless it is a variable of theirs.
func TestExamplesInDocs(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, file := range pages(t) {
		for i, example := range fenced.FindAllStringSubmatch(read(t, file), -1) {
			p := readProgram(t, example[1])
			if len(p.Resources) == 0 && len(p.Variables) > 0 {
				t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1), p.calls)
				continue
			}
			if len(p.Resources) == 0 {
				t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1), func(t *testing.T) { previewPart(t, file, example[1]) })
				continue
			}
			for _, resource := range p.Resources {
				shown[strings.TrimPrefix(resource.Type, "quorum:")] = true
			}
			t.Run(fmt.Sprintf("%s/%d", filepath.Base(file), i+1), p.preview)
		}
	}
	shown["MachineChange"] = true // each server makes its own
	for _, c := range slices.Concat(components, clusters, customs, []component{securityGroups}) {
		assert.Truef(t, shown[c.kind], "no example has a %s", c.kind)
	}
}

func readProgram(t testing.TB, text string) (p program) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &p), text)
	return p
}

// preview has its resources of this package checked.
func (p program) preview(t *testing.T) {
	for name, resource := range p.Resources {
		kind, ours := strings.CutPrefix(resource.Type, "quorum:")
		if !ours {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := toProperty(t, p.resolve(&resource.Properties)).AsMap()
			assert.Empty(t, component{kind: kind, name: name}.problems(t, in, true))
		})
	}
}

// calls has the functions that it calls looked up, and what they are given.
func (p program) calls(t *testing.T) {
	t.Parallel()
	functions := schemaOf[schema.PackageSpec](t).Functions
	for name, variable := range p.Variables {
		var call struct {
			Invoke struct {
				Function  string
				Arguments map[string]any
			} `yaml:"fn::invoke"`
		}
		require.NoError(t, variable.Decode(&call), name)
		function, known := functions[strings.Replace(call.Invoke.Function, ":", ":index:", 1)]
		require.True(t, known, name)
		for argument := range call.Invoke.Arguments {
			assert.Contains(t, function.Inputs.Properties, argument, name)
		}
		for _, argument := range function.Inputs.Required {
			assert.Contains(t, call.Invoke.Arguments, argument, name)
		}
	}
}

// previewPart has inputs checked that a page shows of the component that it is about.
func previewPart(t *testing.T, page, inputs string) {
	t.Parallel()
	about := strings.TrimSuffix(filepath.Base(page), ".md")
	switch filepath.Base(page) {
	case machinePage:
		about = etcdServer.folder
	case "backup.md", "postgres-extensions.md":
		about = postgresCluster.folder
	case "etcd-backup.md", "upgrade.md":
		about = etcdCluster.folder
		if strings.Contains(inputs, "upgradeFrom:") {
			about = postgresCluster.folder
		}
	}
	i := slices.IndexFunc(everything, func(c component) bool { return c.folder == about })
	require.GreaterOrEqualf(t, i, 0, "%s is about no component, and its example has no resources", page)
	c := everything[i]
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(inputs), &document))
	shown := toProperty(t, program{}.resolve(document.Content[0])).AsMap()
	assert.Empty(t, c.problems(t, merge(c.inputs(t, c.base), shown), true))
}

// resolve puts variables where they are referred to, and marks as unknown what
// only the engine knows.
func (p program) resolve(n *yaml.Node) *yaml.Node {
	unknown := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!unknown"}
	switch n.Kind {
	case yaml.ScalarNode:
		if m := interpolation.FindStringSubmatch(n.Value); m != nil {
			if variable, has := p.Variables[m[1]]; has {
				return p.resolve(&variable)
			}
		}
		if strings.Contains(n.Value, "${") {
			return unknown
		}
		return n
	case yaml.MappingNode:
		if len(n.Content) > 0 && strings.HasPrefix(n.Content[0].Value, "fn::") {
			return unknown
		}
	}
	resolved := *n
	resolved.Content = nil
	for _, inner := range n.Content {
		resolved.Content = append(resolved.Content, p.resolve(inner))
	}
	return &resolved
}

var link = regexp.MustCompile(`\]\(([^):]*?)(?:#([^)]+))?\)`)

// TestLinksInDocs follows links to files of the repository, and to headings in
// them.
func TestLinksInDocs(t *testing.T) {
	t.Parallel()
	for _, file := range pages(t) {
		for _, to := range link.FindAllStringSubmatch(read(t, file), -1) {
			target := file
			if to[1] != "" {
				target = filepath.Join(filepath.Dir(file), to[1])
			}
			_, err := os.Stat(target)
			if !assert.NoErrorf(t, err, "%s links to it", file) || to[2] == "" {
				continue
			}
			found := false
			for _, title := range heading.FindAllStringSubmatch(read(t, target), -1) {
				found = found || anchor(title[1]) == to[2]
			}
			assert.Truef(t, found, "%s links to %s#%s", file, target, to[2])
		}
	}
}
