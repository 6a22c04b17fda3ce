package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	nodegen "github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	pygen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GeneratePackage writes the SDK of a package, by the generators that Pulumi's own hosts call, as
// they call them.
func (h host) GeneratePackage(_ context.Context, req *pulumirpc.GeneratePackageRequest) (*pulumirpc.GeneratePackageResponse, error) {
	client, err := schema.NewLoaderClient(req.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	loader := schema.NewCachedLoader(client)
	var spec schema.PackageSpec
	if err := json.Unmarshal([]byte(req.Schema), &spec); err != nil {
		return nil, err
	}
	pkg, problems, err := schema.BindSpec(spec, loader, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, err
	}
	told := &pulumirpc.GeneratePackageResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(problems)}
	if problems.HasErrors() {
		return told, nil
	}
	files, err := map[string]func() (map[string][]byte, error){
		"go": func() (map[string][]byte, error) {
			return gogen.GeneratePackage("pulumi-language-go", pkg, req.LocalDependencies)
		},
		"nodejs": func() (map[string][]byte, error) {
			return nodegen.GeneratePackage("pulumi-language-nodejs", pkg, req.ExtraFiles, req.LocalDependencies, req.Local, loader)
		},
		"python": func() (map[string][]byte, error) {
			return pygen.GeneratePackage("pulumi-language-python", pkg, req.ExtraFiles, loader)
		},
	}[h.language]()
	if err != nil {
		return nil, err
	}
	for name, text := range files {
		path := filepath.Join(req.Directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
	}
	return told, nil
}
