package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	dotnetgen "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	javagen "github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "sdkgen"

// generate returns the files of one language's SDK by name.
func generate(raw []byte, language, version, logo string) (map[string][]byte, error) {
	spec, err := read(raw, version)
	if err != nil {
		return nil, err
	}
	if language == "dotnet" {
		if err := useLogo(&spec, logo); err != nil {
			return nil, err
		}
	}
	if language == "java" {
		hideExamples(spec)
		hideSecrets(spec)
	}
	pkg, err := bind(spec)
	if err != nil {
		return nil, err
	}
	switch language {
	case "dotnet":
		return dotnetgen.GeneratePackage(tool, pkg, nil, nil)
	case "java":
		return javagen.GeneratePackage(tool, pkg, nil, nil, false, true) // true: no files for Gradle
	default:
		return nil, fmt.Errorf("unknown language %q: must be dotnet or java", language)
	}
}

func read(raw []byte, version string) (spec schema.PackageSpec, err error) {
	if err := json.Unmarshal(raw, &spec); err != nil {
		return spec, fmt.Errorf("read schema: %w", err)
	}
	if version != "" {
		spec.Version = version
	}
	return spec, nil
}

func bind(spec schema.PackageSpec) (*schema.Package, error) {
	pkg, diagnostics, err := schema.BindSpec(spec, nil, schema.ValidationOptions{AllowDanglingReferences: true})
	if err != nil {
		return nil, fmt.Errorf("bind schema: %w", err)
	}
	if diagnostics.HasErrors() {
		return nil, fmt.Errorf("bind schema: %w", diagnostics)
	}
	return pkg, nil
}

// hideExamples leaves no heading of examples, of which Java has none.
func hideExamples(spec schema.PackageSpec) {
	for token, resource := range spec.Resources {
		text, _, _ := strings.Cut(resource.Description, examplesMark)
		resource.Description = strings.TrimSpace(text)
		spec.Resources[token] = resource
	}
}

// hideSecrets does not tell the Java generator which outputs of components are
// secret: it calls a method of their options that these do not have. The
// provider marks these outputs itself.
func hideSecrets(spec schema.PackageSpec) {
	for _, resource := range spec.Resources {
		for name, property := range resource.Properties {
			property.Secret = property.Secret && !resource.IsComponent
			resource.Properties[name] = property
		}
	}
}

// useLogo makes the .NET generator, which downloads the package's logo, read a
// file instead.
func useLogo(spec *schema.PackageSpec, logo string) error {
	if logo == "" {
		return errors.New("dotnet needs -logo: the generator puts an image in the package")
	}
	path, err := filepath.Abs(logo)
	if err != nil {
		return err
	}
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return errors.New("the default HTTP transport has been replaced")
	}
	transport = transport.Clone()
	transport.RegisterProtocol("file", http.NewFileTransport(http.Dir("/")))
	http.DefaultTransport = transport
	spec.LogoURL = "file://" + path
	return nil
}
