package main

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GetRequiredPackages names the packages that a program may use, by what their SDKs say of their
// plugins. It looks for that where Pulumi's own hosts do, of the CLI's version.
func (h host) GetRequiredPackages(ctx context.Context, req *pulumirpc.GetRequiredPackagesRequest) (*pulumirpc.GetRequiredPackagesResponse, error) {
	dir := req.Info.ProgramDirectory
	find := map[string]func() ([]plugin.PulumiPluginJSON, error){
		"go":     func() ([]plugin.PulumiPluginJSON, error) { return ofModules(ctx, dir) },
		"nodejs": func() ([]plugin.PulumiPluginJSON, error) { return ofNodeModules(dir) },
		"python": func() ([]plugin.PulumiPluginJSON, error) { return ofVenv(ctx, python(req.Info, dir)) },
	}[h.language]
	found, err := find()
	if err != nil {
		return nil, err
	}
	var packages []*pulumirpc.PackageDependency
	for _, of := range found {
		if of.Resource {
			packages = append(packages, &pulumirpc.PackageDependency{Name: of.Name, Version: of.Version, Kind: "resource", Server: of.Server})
		}
	}
	return &pulumirpc.GetRequiredPackagesResponse{Packages: packages}, nil
}

// ofModules looks at the modules that the go.mod of a program requires, indirect ones too.
func ofModules(ctx context.Context, dir string) (found []plugin.PulumiPluginJSON, err error) {
	file, err := output(ctx, dir, "go", "list", "-m", "-f", "{{.GoMod}}")
	if err != nil {
		return nil, err
	}
	text, err := output(ctx, dir, "go", "mod", "edit", "-json", strings.TrimSpace(file))
	if err != nil {
		return nil, err
	}
	var mod struct{ Require []struct{ Path string } }
	if err := json.Unmarshal([]byte(text), &mod); err != nil {
		return nil, err
	}
	list := []string{"go", "list", "-m", "-f", "{{.Dir}}"}
	for _, required := range mod.Require {
		list = append(list, required.Path)
	}
	dirs, err := output(ctx, dir, list...)
	if err != nil {
		return nil, err
	}
	for module := range strings.Lines(dirs) {
		module = strings.TrimSpace(module)
		for _, place := range []string{"", "go", filepath.Join("go", "*"), "*"} {
			paths, err := filepath.Glob(filepath.Join(module, place, "pulumi-plugin.json"))
			if err != nil {
				return nil, err
			}
			if module == "" || len(paths) == 0 {
				continue
			}
			if found, err = add(found, paths[0]); err != nil {
				return nil, err
			}
			break
		}
	}
	return found, nil
}

// ofNodeModules looks at what is installed below a program.
func ofNodeModules(dir string) (found []plugin.PulumiPluginJSON, err error) {
	return found, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "package.json" || !strings.Contains(path, "node_modules") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var of struct{ Pulumi plugin.PulumiPluginJSON }
		if json.Unmarshal(text, &of) == nil { // others have something else under the name
			found = append(found, of.Pulumi)
		}
		return nil
	})
}

// ofVenv looks at what is installed for a program in Python.
func ofVenv(ctx context.Context, python string) (found []plugin.PulumiPluginJSON, err error) {
	paths, err := output(ctx, ".", python, "-c", `
from importlib.metadata import distributions
for distribution in distributions():
    for file in distribution.files or ():
        if file.name == "pulumi-plugin.json":
            print(distribution.locate_file(file))
`)
	if err != nil {
		return nil, err
	}
	for path := range strings.Lines(paths) {
		if found, err = add(found, strings.TrimSpace(path)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func add(to []plugin.PulumiPluginJSON, path string) ([]plugin.PulumiPluginJSON, error) {
	of, err := plugin.LoadPulumiPluginJSON(path)
	if err != nil {
		return nil, err
	}
	return append(to, *of), nil
}

func output(ctx context.Context, dir string, line ...string) (string, error) {
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return string(out), err
}
