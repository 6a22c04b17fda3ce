package provider

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine/openstack"
	machines "github.com/pulumi-quorum/pulumi-quorum/test/fake/hypervisor"
)

// outputs are those of the component, short of the generation: programs that
// are the same for all are part of it.
func outputs(t *testing.T, state resource.PropertyMap) string {
	text := toYAML(t, plain(resource.NewProperty(state)))
	return regexp.MustCompile(`(?m)^generation: [0-9a-f]{16}$`).ReplaceAllString(text, "generation: (hash)")
}

// resources are the children by name, without what deliveredTo gives.
func resources(t *testing.T, w *world) string {
	all := map[string]any{}
	for name, child := range w.children {
		in := child.Inputs.Copy()
		delete(in, "userData")
		delete(in, "networkConfig")
		delete(in, "metaData")
		all[name] = plain(resource.NewProperty(in))
	}
	// The state is named by its content, which our programs are part of.
	return regexp.MustCompile(`(generation: )[0-9a-f]{16}`).ReplaceAllString(toYAML(t, all), "$1(hash)")
}

// deliveries are what deliveredTo gives. Of the machines of a cluster it is the
// state, in a file that has the machine's name.
func (c component) deliveries(t *testing.T, w *world) map[string]string {
	all := map[string]string{}
	for _, name := range w.names() {
		for _, suffix := range []string{"-cloud-init", "-instance"} {
			machine, is := strings.CutSuffix(name, suffix)
			switch {
			case is && slices.Contains(clusters, c):
				all[strings.TrimPrefix(machine, c.name+"-")+".yaml"] = deliveredTo(t, w.child(t, name))["state.yaml"]
			case is:
				return deliveredTo(t, w.child(t, name))
			}
		}
	}
	return all
}

// deliveredTo is what the machine of a drive is handed, each part in its own
// file. Programs that are the same for all are left out.
func deliveredTo(t *testing.T, drive resource.PropertyMap) map[string]string {
	require.True(t, drive["userData"].IsSecret(), "user data must be secret")
	packed := secretText(drive["userData"])
	text := unpacked(t, packed)
	files, err := machines.Files(text)
	require.NoError(t, err)
	if text == packed { // what libvirt has, OpenStack has to take as well
		packed, err = openstack.Pack(text)
		require.NoError(t, err)
		inArchive, err := machines.Files(unpacked(t, packed))
		require.NoError(t, err)
		require.JSONEq(t, string(files[guest.DrivePath]), string(inArchive[guest.DrivePath]))
		inArchive[guest.DrivePath] = files[guest.DrivePath]
		require.Equal(t, files, inArchive)
	}
	require.LessOrEqual(t, len(packed), openstack.MostUserData)
	var user cloudinit.UserData
	require.NoError(t, yaml.Unmarshal([]byte(text), &user))
	for i, file := range user.WriteFiles {
		if content, is := map[string]string{guest.ApplyPath: "(quorum-apply)", guest.DrivePath: "(state.yaml)", guest.ArchivePath: "(quorum-apply and state.yaml)"}[file.Path]; is {
			user.WriteFiles[i].Content = content
			require.Equal(t, file.Path != guest.ApplyPath, file.Permissions == "0600", "the state holds secrets")
		}
	}
	require.Equal(t, guest.Apply(), string(files[guest.ApplyPath]))
	state := files[guest.DrivePath]
	ca, err := os.ReadFile(filepath.Join("testdata", "pki", "ca.key"))
	require.NoError(t, err)
	key := strings.Split(string(ca), "\n")[1]
	require.NotContains(t, string(state), key, "no machine has the key of an authority")
	var desired guest.State
	require.NoError(t, json.Unmarshal(state, &desired))
	for i, file := range desired.Files {
		compiles(t, file.Path, file.Content)
		switch name := filepath.Base(file.Path); name {
		case "check-corefile", "check-zone", "quorum-mirror", "quorum-patroni", "quorum-backup":
			desired.Files[i].Content, desired.Generation = "("+name+")", "(hash)"
		}
	}
	shown, err := user.Marshal()
	require.NoError(t, err)
	all := map[string]string{"user-data.yaml": shown, "state.yaml": toYAML(t, asJSON(t, desired))}
	for key, file := range map[resource.PropertyKey]string{"networkConfig": "network-config.yaml", "metaData": "meta-data.yaml"} {
		if document, has := drive[key]; has { // an instance has them from OpenStack
			all[file] = secretText(document)
		}
	}
	return all
}

var compiled sync.Map // programs in Python, which are the same on many machines

// compiles requires a program in Python to be one.
func compiles(t *testing.T, path, content string) {
	t.Helper()
	if _, known := compiled.LoadOrStore(content, true); known || !strings.HasPrefix(content, "#!/usr/bin/python3\n") {
		return
	}
	check := exec.CommandContext(t.Context(), "python3", "-c", "import sys; compile(sys.stdin.read(), sys.argv[1], 'exec')", path)
	check.Stdin = strings.NewReader(content)
	said, err := check.CombinedOutput()
	require.NoError(t, err, string(said))
}

// unpacked does what cloud-init does to user data from OpenStack.
func unpacked(t *testing.T, text string) string {
	packed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return text
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	whole, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(whole)
}

// asJSON is v with the names that it has in JSON.
func asJSON(t *testing.T, v any) (out any) {
	b, err := json.Marshal(v)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

func secretText(v resource.PropertyValue) string { return v.SecretValue().Element.StringValue() }

// plain writes a value for a golden file: secrets say that they are.
func plain(v resource.PropertyValue) any {
	switch {
	case v.IsSecret():
		return "[secret]"
	case v.IsOutput():
		if v.OutputValue().Secret {
			return "[secret]"
		}
		return plain(v.OutputValue().Element)
	case v.IsObject():
		m := map[string]any{}
		for key, e := range v.ObjectValue() {
			m[string(key)] = plain(e)
		}
		return m
	case v.IsArray():
		list := []any{}
		for _, e := range v.ArrayValue() {
			list = append(list, plain(e))
		}
		return list
	}
	return v.V
}

func toYAML(t *testing.T, v any) string {
	b, err := yaml.Marshal(v)
	require.NoError(t, err)
	return string(b)
}
