package provider

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestProgramsFromTerraform requires all that from-terraform writes to be inputs, also in
// the resources that are comments, and to be right.
func TestProgramsFromTerraform(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("fromterraform/testdata/states/*/Pulumi.yaml")
	require.NoError(t, err)
	require.Greater(t, len(files), 7)
	spec := schemaOf[schema.PackageSpec](t)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			p := readProgram(t, uncommented(string(text)))
			require.NotEmpty(t, p.Resources)
			p.Variables = settings(t, string(text))
			for name, resource := range p.Resources {
				kind := strings.TrimPrefix(resource.Type, "quorum:")
				inputs := spec.Resources["quorum:index:"+kind].InputProperties
				require.NotEmpty(t, inputs, kind)
				onlyInputs(t, spec, inputs, name, &resource.Properties)
				in := toProperty(t, p.resolve(&resource.Properties)).AsMap()
				assert.Empty(t, component{kind: kind, name: name}.problems(t, in, true), name)
			}
		})
	}
}

// settings are what people set: all that the state does not have. Secrets are not known here.
func settings(t *testing.T, text string) map[string]yaml.Node {
	var program struct {
		Config map[string]struct {
			Type   string
			Secret bool
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(text), &program))
	all := map[string]yaml.Node{}
	for key, setting := range program.Config {
		value := "something"
		switch {
		case setting.Secret:
			continue
		case setting.Type == "integer":
			all[key] = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: "24"}
			continue
		case strings.HasSuffix(key, "SshAdminPublicKey"):
			value = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJPvyukwidwcRT2Hhj6AI9YNB/zzktxRwI4peoOrU8x9"
		case strings.HasSuffix(key, "Ip"):
			value = "10.77.0.5"
		case strings.Contains(key, "libvirtUri"):
			value = "qemu+ssh://root@host/system"
		}
		all[key] = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	}
	return all
}

// uncommented has the resources that are comments: whoever takes the # away has them.
func uncommented(text string) string {
	before, later, _ := strings.Cut(text, "  # These cannot be external")
	if later != "" {
		before = strings.Replace(before, "resources: {}\n", "resources:\n", 1)
	}
	for line := range strings.Lines(later) {
		if content, is := strings.CutPrefix(line, "  #"); is && (!strings.HasPrefix(content, " ") || strings.HasPrefix(content, "  ")) {
			before += "  " + content
		}
	}
	return before
}

// onlyInputs requires all keys to be inputs.
func onlyInputs(t *testing.T, spec schema.PackageSpec, inputs map[string]schema.PropertySpec, path string, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i].Value, n.Content[i+1]
		of, is := inputs[key]
		if !assert.Truef(t, is, "%s.%s is no input", path, key) {
			continue
		}
		elements, kind := []*yaml.Node{value}, of.TypeSpec
		if of.Items != nil {
			elements, kind = value.Content, *of.Items
		}
		if _, inner, is := strings.Cut(kind.Ref, "#/types/"); is && value.Kind != yaml.ScalarNode {
			for _, each := range elements {
				onlyInputs(t, spec, spec.Types[inner].Properties, path+"."+key, each)
			}
		}
	}
}
