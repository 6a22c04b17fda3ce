package roles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewOfAnotherStack has previews say that inputs are absent because another stack is not up, or
// has no output of that name.
func TestPreviewOfAnotherStack(t *testing.T) {
	t.Parallel()
	const outputs = "outputs: {endpoints: ['10.77.0.21:2379'], caCert: CA, password: hush-hush-p}\n"
	first := engine.New(t, engine.Options{Project: "first", Program: "resources: {}\n"})
	r := postgresServer
	program := strings.TrimSpace(r.program(t, `{etcd: {endpoints: '${first.outputs["endpoints"]}', caCert: '${first.outputs["caCert"]}', password: '${first.outputs["password"]}'}}`)) +
		"\n    first: {type: \"pulumi:pulumi:StackReference\", properties: {name: organization/first/dev}}\n"
	s := engine.New(t, engine.Options{Beside: first, Program: program})
	previews.Reads(t, "stacks/not-up", "10.77.0", s.PreviewFails())

	s.Program(strings.Replace(program, "organization/first/dev", "organization/first/prod", 1))
	previews.Reads(t, "stacks/not-there", "10.77.0", s.PreviewFails())

	first.Program(strings.Replace(outputs, "CA", pem("ca.crt"), 1))
	first.Up()
	s.Program(strings.Replace(program, `outputs["endpoints"]`, `outputs["endpoint"]`, 1))
	previews.Reads(t, "stacks/no-such-output", "10.77.0", s.PreviewFails())
	s.Program(strings.Replace(program, `endpoints: ${first.outputs["endpoints"]}`, `endpoints: ['${first.outputs["endpoint"]}']`, 1))
	previews.Reads(t, "stacks/no-such-item", "10.77.0", s.PreviewFails())

	s.Program(program)
	assert.NotContains(t, s.Preview().Diagnostics, "error: ")
}
