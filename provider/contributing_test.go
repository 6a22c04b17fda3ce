package provider

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

const module = "github.com/pulumi-quorum/pulumi-quorum/"

// TestFloors compares what packages import with the list of CONTRIBUTING.md: no package
// imports one of a floor above, nor a neighbour that the list does not say.
func TestFloors(t *testing.T) {
	t.Parallel()
	h := readLayers(t)
	for from, imports := range h.imports {
		for _, to := range imports {
			assert.Emptyf(t, h.forbidden(from, to), "%s imports %s", from, to)
		}
	}
}

// TestDepguard requires a rule of .golangci.yml for each import that TestFloors forbids.
func TestDepguard(t *testing.T) {
	t.Parallel()
	h, rules := readLayers(t), depguardRules(t)
	for from := range h.imports {
		for to := range h.imports {
			// The compiler refuses a circle, and to import a program.
			if why := h.forbidden(from, to); why != "" && to != "provider" && !strings.HasPrefix(to, "provider/cmd/") && from != "provider" {
				assert.Truef(t, slices.ContainsFunc(rules, func(r rule) bool { return r.denies(from, to) }), "no rule denies that %s imports %s, which %s", from, to, why)
			}
		}
	}
}

// TestLayout requires each folder that has a package in the layout of CONTRIBUTING.md, by
// itself or with the one that it is in, and each folder and file of the layout to be there.
func TestLayout(t *testing.T) {
	t.Parallel()
	paths := layout(t)
	for _, at := range paths {
		_, err := os.Stat(filepath.Join("..", at))
		assert.NoErrorf(t, err, "CONTRIBUTING.md has %s", at)
	}
	for name := range readLayers(t).imports {
		assert.Truef(t, slices.Contains(paths, name) || slices.Contains(paths, path.Dir(name)), "CONTRIBUTING.md lacks %s", name)
	}
}

// rule is one of depguard's: in these files it denies these packages.
type rule struct {
	Files []string
	Deny  []struct{ Pkg string }
}

func depguardRules(t *testing.T) (all []rule) {
	text, err := os.ReadFile("../.golangci.yml")
	require.NoError(t, err)
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct{ Rules map[string]rule }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	for _, r := range config.Linters.Settings.Depguard.Rules {
		all = append(all, r)
	}
	require.NotEmpty(t, all)
	return all
}

func (r rule) denies(from, to string) bool {
	in := slices.ContainsFunc(r.Files, func(pattern string) bool {
		folder, isFolder := strings.CutSuffix(strings.TrimPrefix(pattern, "**/"), "/**")
		if isFolder {
			return from == folder || strings.HasPrefix(from, folder+"/")
		}
		return from+"/*.go" == strings.TrimPrefix(pattern, "**/")
	})
	return in && slices.ContainsFunc(r.Deny, func(deny struct{ Pkg string }) bool {
		exact, only := strings.CutSuffix(deny.Pkg, "$")
		return only && module+to == exact || !only && strings.HasPrefix(module+to, deny.Pkg)
	})
}

// layout are the paths that the layout of CONTRIBUTING.md has: in a column of their own,
// two more spaces for each folder that they are in.
func layout(t *testing.T) (all []string) {
	const column = 25
	m := listing.FindStringSubmatch(contributing(t))
	require.NotNil(t, m)
	var in []string
	for line := range strings.Lines(m[1]) {
		names := strings.TrimRight(line[:min(column, len(line)-1)], " ")
		if names == "" {
			continue // the description goes on
		}
		in = in[:(len(names)-len(strings.TrimLeft(names, " ")))/2]
		for name := range strings.SplitSeq(strings.TrimSpace(names), ", ") {
			all = append(all, path.Join(append(slices.Clone(in), name)...))
		}
		in = append(in, strings.TrimSpace(names))
	}
	return all
}

func contributing(t *testing.T) string {
	text, err := os.ReadFile("../CONTRIBUTING.md")
	require.NoError(t, err)
	return string(text)
}
