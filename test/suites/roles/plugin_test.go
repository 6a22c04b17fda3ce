package roles

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/libvirt"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestLibvirtPlugin has machines served by the plugin that is released beside this package,
// whether a hypervisor is named or not, unless the program has a provider of its own.
func TestLibvirtPlugin(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ inputs, provider, version string }{
		"default": {version: libvirt.PluginVersion()},
		"uri":     {inputs: "libvirt: {uri: qemu+ssh://a/system}", version: libvirt.PluginVersion()},
		"given":   {provider: "0.5.4", version: "0.5.4"},
		"older":   {provider: "0.5.3", version: "0.5.3"},
		"newer":   {provider: "0.5.5", version: "0.5.5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := etcdServer.program(t, test.inputs)
			if test.provider != "" {
				program = etcdServer.programWith(t, "{a: {type: pulumi:providers:libvirt, properties: {uri: qemu+ssh://a/system}, options: {version: "+test.provider+"}}}",
					"{providers: [\"${a}\"]}", test.inputs)
			}
			s := engine.New(t, engine.Options{Program: program})
			for _, result := range []engine.Result{s.Preview(), s.Up()} {
				warned := strings.Contains(result.Diagnostics, "the published libvirt plugin "+test.provider+" can hang")
				assert.Equal(t, slices.Contains([]string{"0.5.3", "0.5.4"}, test.provider), warned, result.Diagnostics)
				assert.LessOrEqual(t, strings.Count(result.Diagnostics, "can hang"), 1)
			}
			for _, r := range []apitype.ResourceV3{s.Resource("Volume", "one-volume"), s.Resource("CloudInitDisk", "one-cloud-init"), s.Resource("Domain", "one-domain")} {
				assert.Equal(t, test.version, versionOf(t, s, r.Provider), r.URN)
			}
			assert.True(t, s.Up().Unchanged())
		})
	}
}

// versionOf is that of the plugin of a provider.
func versionOf(t *testing.T, s *engine.Stack, provider string) string {
	t.Helper()
	for _, r := range s.Resources() {
		if strings.HasPrefix(provider, string(r.URN)+"::") {
			version, _ := r.Inputs["version"].(string)
			return version
		}
	}
	require.Fail(t, "no such provider", provider)
	return ""
}

// TestPublishedLibvirtPlugin has a stack that the published plugin served go on with that of this project, which makes nothing
// anew, and back. There drives are made anew with what they had, as the state has only hashes of it, and no machine is.
func TestPublishedLibvirtPlugin(t *testing.T) {
	t.Parallel()
	program := etcdServer.program(t, fourGiB)
	s := engine.New(t, engine.Options{Program: program, Env: map[string]string{"FAKE_PUBLISHED": "1"}})
	s.Up()
	isShort := func(of map[string]any) bool { return len(fmt.Sprint(of["userData"])) < 1000 }
	require.False(t, isShort(s.Resource("CloudInitDisk", "one-cloud-init").Outputs))

	s.Setenv("FAKE_PUBLISHED", "")
	state := filepath.Join(t.TempDir(), "state.json")
	of := strings.NewReplacer(libvirt.PluginVersion(), "0.5.4", "default_0_5_5_quorum", "default_0_5_4")
	require.NoError(t, os.WriteFile(state, []byte(of.Replace(s.Export())), 0o600))
	s.Import(state)
	for _, step := range s.Up().Steps {
		assert.Equal(t, "pulumi:providers:libvirt", step.Type, step)
	}
	assert.True(t, s.Up("--refresh").Unchanged())
	drive := s.Resource("CloudInitDisk", "one-cloud-init")
	assert.False(t, isShort(drive.Outputs), "until it is made anew")
	assert.True(t, isShort(drive.Inputs))
	s.Up("--replace", string(drive.URN))
	assert.True(t, isShort(s.Resource("CloudInitDisk", "one-cloud-init").Outputs))
	assert.True(t, s.Up("--refresh").Unchanged())

	s.Setenv("FAKE_PUBLISHED", "1")
	s.Program(etcdServer.programWith(t, "{a: {type: pulumi:providers:libvirt, properties: {uri: default}, options: {version: 0.5.4}}}", "{providers: [\"${a}\"]}", fourGiB))
	back := s.Up()
	assert.NotContains(t, back.Diagnostics, "the data of one")
	assert.Contains(t, back.Ops(""), "replace one-cloud-init")
	assert.Empty(t, append(slices.DeleteFunc(back.Ops("Domain"), func(op string) bool { return op == "update one-domain" }), back.Ops("Volume")...))
	assert.True(t, s.Up().Unchanged())
}
