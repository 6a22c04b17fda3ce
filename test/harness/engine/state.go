package engine

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/require"
)

// Export is the stack's state as `pulumi stack export` prints it: secrets are
// encrypted. It is read from the file of the backend, and no command is run.
func (s *Stack) Export() string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.backend, ".pulumi", "stacks", s.options.Project, stackName+".json"))
	require.NoError(s.t, err)
	var file struct {
		Version    int `json:"version"`
		Checkpoint struct {
			Latest json.RawMessage `json:"latest"`
		} `json:"checkpoint"`
	}
	require.NoError(s.t, json.Unmarshal(text, &file))
	text, err = json.MarshalIndent(map[string]any{"version": file.Version, "deployment": file.Checkpoint.Latest}, "", "    ")
	require.NoError(s.t, err)
	return string(text)
}

// Deployment is what Export is, read.
func (s *Stack) Deployment() apitype.DeploymentV3 {
	s.t.Helper()
	var export struct {
		Deployment apitype.DeploymentV3 `json:"deployment"`
	}
	require.NoError(s.t, json.Unmarshal([]byte(s.Export()), &export))
	return export.Deployment
}

// Import replaces the state.
func (s *Stack) Import(file string) {
	s.t.Helper()
	s.must("stack", "import", "--file", file)
}

// Resources are the resources in the state.
func (s *Stack) Resources() []apitype.ResourceV3 {
	s.t.Helper()
	return s.Deployment().Resources
}

// Resource is the one in the state whose type ends so and that has this name.
func (s *Stack) Resource(typeSuffix, name string) apitype.ResourceV3 {
	s.t.Helper()
	var known []string
	for _, r := range s.Resources() {
		if r.URN.Name() == name && strings.HasSuffix(string(r.Type), typeSuffix) {
			return r
		}
		known = append(known, string(r.Type)+" "+r.URN.Name())
	}
	require.Fail(s.t, "no such resource", "%s %s among\n%s", typeSuffix, name, strings.Join(known, "\n"))
	return apitype.ResourceV3{}
}

// Outputs are the stack's outputs, secrets in clear.
func (s *Stack) Outputs() map[string]any {
	s.t.Helper()
	var outputs map[string]any
	require.NoError(s.t, json.Unmarshal([]byte(s.must("stack", "output", "--json", "--show-secrets")), &outputs))
	return outputs
}

// Output is one output that is text.
func (s *Stack) Output(name string) string {
	s.t.Helper()
	text, ok := s.Outputs()[name].(string)
	require.True(s.t, ok, "output %s is not text", name)
	return text
}
