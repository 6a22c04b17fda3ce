package provider

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// onMachine is what a golden state has that a page is to name.
type onMachine struct {
	Presets     []struct{ Path string }
	Files       []struct{ Path string }
	Directories []struct{ Path string }
	Artifacts   []struct{ Files map[string]string }
	Services    []struct{ Name string }
}

const units = "/etc/systemd/system/"

var systemPath = regexp.MustCompile("`(/(?:etc|usr|var)/[^`]*[^`/])/?`")

// TestFilesInDocs requires the page of a component, with machinePage, to name the
// files and services that its machines have, a directory standing for what is
// in it, and no files that they do not have.
func TestFilesInDocs(t *testing.T) {
	t.Parallel()
	shared := read(t, filepath.Join(docs, machinePage))
	for _, c := range components {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			page := read(t, filepath.Join(docs, c.folder+".md"))
			paths, directories, services := c.onMachine(t)
			named := systemPath.FindAllStringSubmatch(page+shared, -1)
			for path := range paths {
				found := strings.HasPrefix(path, units)
				for _, name := range named {
					found = found || within(path, name[1])
				}
				assert.Truef(t, found, "%s is not named", path)
			}
			for service := range services {
				name := "`" + strings.TrimSuffix(service, ".service") + "`"
				assert.Truef(t, strings.Contains(page+shared, name), "%s is not named", service)
			}
			for _, name := range systemPath.FindAllStringSubmatch(page, -1) {
				found := directories[name[1]]
				for path := range paths {
					found = found || within(path, name[1])
				}
				assert.Truef(t, found, "%s is on no machine", name[1])
			}
		})
	}
}

// onMachine are the paths and services of all cases.
func (c component) onMachine(t *testing.T) (paths, directories, services map[string]bool) {
	files, err := filepath.Glob(filepath.Join("testdata", c.folder, "*", "state.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	paths, directories, services = map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, file := range files {
		var m onMachine
		require.NoError(t, yaml.Unmarshal([]byte(read(t, file)), &m))
		for _, f := range append(m.Files, m.Presets...) {
			paths[f.Path] = true
		}
		for _, d := range m.Directories {
			directories[d.Path] = true
		}
		for _, a := range m.Artifacts {
			for _, path := range a.Files {
				paths[path] = true
			}
		}
		for _, s := range m.Services {
			services[s.Name] = true
		}
	}
	return paths, directories, services
}

// within reports whether path is outer or in it.
func within(path, outer string) bool {
	return path == outer || strings.HasPrefix(path, outer+"/")
}
