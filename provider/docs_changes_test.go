package provider

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/change"
)

// changesTable is where docs have what changes do.
var changesTable = regexp.MustCompile(`(?s)(<!-- from the code: what changes do -->\n).*?(<!-- end -->)`)

// changing are changes of a machine of one kind.
type changing struct {
	Kind      string
	Component string
	Rows      []struct {
		What    string
		Before  yaml.Node
		Leaf    bool
		Changes []yaml.Node
	}
}

// TestDocsOfChanges has the code itself say what each change does.
func TestDocsOfChanges(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/changes.yaml")
	require.NoError(t, err)
	var kinds []changing
	require.NoError(t, yaml.Unmarshal(text, &kinds))
	covered := map[string][]string{}
	var b strings.Builder
	b.WriteString("| of | what changes | what happens |\n|---|---|---|\n")
	for _, kind := range kinds {
		i := slices.IndexFunc(components, func(c component) bool { return c.kind == kind.Component })
		if i < 0 {
			continue // of a cluster, whose pages tell it: TestEachChangeOfAClusterIsTold
		}
		c := components[i]
		for _, row := range kind.Rows {
			base := c.inputs(t, c.base)
			if c == etcdServer || c == postgresServer {
				base = merge(base, readInputs(t, "{tls: null, ca: {cert: !pem ca.crt, key: !secretPem ca.key}}"))
			}
			if c == etcdServer {
				base = merge(base, readInputs(t, "{auth: {bootstrap: true}}"))
			}
			base = merge(base, overlay(t, row.Before))
			before, said := effectsOf(t, c, base, "server.crt"), ""
			for i, node := range row.Changes {
				more := overlay(t, node)
				for key := range more.All {
					covered[c.kind] = append(covered[c.kind], key)
				}
				leaf := map[bool]string{false: "server.crt", true: "other.crt"}[row.Leaf]
				does := strings.Join(change.Said(before, effectsOf(t, c, merge(base, more), leaf)), "; ")
				require.NotEmpty(t, does, "%s, change %d", row.What, i)
				require.True(t, said == "" || said == does, "%s, change %d: %s, and the one before: %s", row.What, i, does, said)
				said = does
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", kind.Kind, row.What, said)
		}
	}
	r := newReference(t)
	for _, c := range components {
		for input := range r.inputs(c.kind).Properties {
			// What all servers have is said once, for one of them.
			if !r.isEverywhere(input) && !slices.Contains([]string{"tls", "certificate", "artifacts", "allowDataLoss"}, input) {
				require.Contains(t, covered[c.kind], input, "what a change of it does in %s", c.kind)
			}
		}
	}
	page := docs + "/day-2.md"
	golden(t, page, changesTable.ReplaceAllString(read(t, page), "${1}"+strings.ReplaceAll(b.String(), "$", "$$")+"${2}"))
}

// isEverywhere tells whether all servers have an input.
func (r reference) isEverywhere(input string) bool {
	return !slices.ContainsFunc(components, func(c component) bool {
		_, has := r.inputs(c.kind).Properties[input]
		return !has
	})
}

func overlay(t *testing.T, node yaml.Node) property.Map {
	t.Helper()
	if node.IsZero() {
		return property.Map{}
	}
	return toProperty(t, &node).AsMap()
}

// effectsOf are what may happen to a machine with these inputs.
func effectsOf(t *testing.T, c component, in property.Map, leaf string) map[string]string {
	t.Helper()
	w, _, err := constructIn(t, &world{leaf: leaf}, c, in, false)
	require.NoError(t, err)
	all := map[string]string{}
	said, is := w.children[c.name+" (quorum:index:MachineChange)"]
	require.True(t, is, w.names())
	for effect, text := range opened(said.Inputs["effects"]).ObjectValue() {
		all[string(effect)] = opened(text).StringValue()
	}
	return all
}

// opened is what a secret holds.
func opened(v resource.PropertyValue) resource.PropertyValue {
	switch {
	case v.IsSecret():
		return opened(v.SecretValue().Element)
	case v.IsOutput():
		return opened(v.OutputValue().Element)
	}
	return v
}
