package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	dotnetgen "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/ast"
	yamlgen "github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	nodegen "github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	pygen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// converters make programs of the languages that descriptions show, under the
// names by which the generators of SDKs pick theirs. Java is not among them: its
// converter loses secrets and imports inputs from where they are not.
var converters = []struct {
	language, file string
	convert        func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)
}{
	{"typescript", "index.ts", nodegen.GenerateProgram},
	{"python", "__main__.py", pygen.GenerateProgram},
	{"go", "main.go", gogen.GenerateProgram},
	{"csharp", "Program.cs", dotnetgen.GenerateProgram},
}

// mend undoes what the converters do wrong: Go wraps settings twice, and C#
// looks for resources in a namespace that the SDK does not have.
func mend(program []byte) string {
	program = twice.ReplaceAll(program, []byte("$1"))
	return strings.ReplaceAll(string(program), "Quorum.Index.", "Quorum.")
}

var twice = regexp.MustCompile(`pulumi\.String(?:Ref)?\((pulumi\.String(?:Ref)?\((?:\w+|"[^"]*")\))\)`)

// convertExamples writes what a description shows of each YAML program in dir
// beside it. The first line of a program is a comment: its title.
func convertExamples(raw []byte, version, dir string) error {
	spec, err := read(raw, version)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		example, err := describe(string(text), spec)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := os.WriteFile(strings.TrimSuffix(file, "yaml")+"md", []byte(example), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const examplesMark = "{{% examples %}}"

func describe(text string, spec schema.PackageSpec) (string, error) {
	title, source, _ := strings.Cut(text, "\n")
	var b strings.Builder
	b.WriteString(examplesMark)
	fmt.Fprintf(&b, "\n## Example Usage\n\n{{%% example %%}}\n### %s\n", strings.TrimPrefix(title, "# "))
	show := func(language, program string) {
		fmt.Fprintf(&b, "\n```%s\n%s\n```\n", language, strings.TrimSpace(program))
	}
	for _, c := range converters {
		program, err := parse(source, spec)
		if err != nil {
			return "", err
		}
		files, diagnostics, err := c.convert(program)
		if err := errors.Join(err, refuse(diagnostics)); err != nil {
			return "", fmt.Errorf("%s: %w", c.language, err)
		}
		// a value that a converter cannot print is no error of it
		if source := string(files[c.file]); source == "" || strings.Contains(source, "%!") {
			return "", fmt.Errorf("%s: no program:\n%s", c.language, source)
		}
		show(c.language, mend(files[c.file]))
	}
	show("yaml", source)
	b.WriteString("\n{{% /example %}}\n{{% /examples %}}\n")
	return b.String(), nil
}

// parse binds program and schema afresh: generators rewrite both.
func parse(source string, spec schema.PackageSpec) (*pcl.Program, error) {
	pkg, err := bind(spec)
	if err != nil {
		return nil, err
	}
	template, problems, err := pulumiyaml.LoadYAMLBytes("Pulumi.yaml", []byte(source))
	if err := errors.Join(err, refuse(problems.HCL())); err != nil {
		return nil, err
	}
	loader := schema.NewCachedLoader(only{pkg: pkg})
	text, diagnostics, err := yamlgen.ConvertTemplateIL(template, loader)
	if err := errors.Join(err, refuse(diagnostics)); err != nil {
		return nil, err
	}
	if text, err = markSecrets(text, template); err != nil {
		return nil, err
	}
	parser := syntax.NewParser()
	if err := errors.Join(parser.ParseFile(strings.NewReader(text), "program.pp"), refuse(parser.Diagnostics)); err != nil {
		return nil, err
	}
	program, diagnostics, err := pcl.BindProgram(parser.Files, pcl.Loader(loader))
	return program, errors.Join(err, refuse(diagnostics))
}

// markSecrets says which settings are secret: the conversion forgets it.
func markSecrets(text string, template *ast.TemplateDecl) (string, error) {
	for _, setting := range template.Config.Entries {
		if secret := setting.Value.Secret; secret == nil || !secret.Value {
			continue
		}
		name := fmt.Sprintf("__logicalName = %q\n", setting.Key.Value)
		if !strings.Contains(text, name) {
			return "", fmt.Errorf("the setting %s got lost", setting.Key.Value)
		}
		text = strings.Replace(text, name, name+"secret = true\n", 1)
	}
	return text, nil
}

// refuse takes warnings for errors too.
func refuse(diagnostics hcl.Diagnostics) error {
	if len(diagnostics) == 0 {
		return nil
	}
	return diagnostics
}

// only knows one package, and asks no plugin for another.
type only struct {
	schema.ReferenceLoader
	pkg *schema.Package
}

func (o only) LoadPackageReferenceV2(_ context.Context, wanted *schema.PackageDescriptor) (schema.PackageReference, error) {
	if wanted.Name != o.pkg.Name {
		return nil, fmt.Errorf("an example needs %s and can have %s only", wanted.Name, o.pkg.Name)
	}
	return o.pkg.Reference(), nil
}
