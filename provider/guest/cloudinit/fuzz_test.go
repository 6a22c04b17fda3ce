package cloudinit_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/cloudinit"
)

// pyyaml reads documents with PyYAML, which is what cloud-init does.
type pyyaml struct {
	in  io.Writer
	out *bufio.Reader
}

const reader = `
import json, sys, yaml
for line in sys.stdin:
    print(json.dumps(yaml.safe_load(json.loads(line))), flush=True)
`

func newPyYAML(t testing.TB) pyyaml {
	t.Helper()
	c := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", reader)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start(), "python3 with PyYAML is needed")
	t.Cleanup(func() {
		_ = in.Close()
		_ = c.Wait()
	})
	return pyyaml{in, bufio.NewReaderSize(out, 1<<20)}
}

func (p pyyaml) load(t testing.TB, text string) (v map[string]any) {
	t.Helper()
	b, err := json.Marshal(text)
	require.NoError(t, err)
	_, err = p.in.Write(append(b, '\n'))
	require.NoError(t, err)
	line, err := p.out.ReadBytes('\n')
	require.NoError(t, err, "PyYAML could not read:\n%s", text)
	require.NoError(t, json.Unmarshal(line, &v))
	return v
}

// FuzzUserData requires any text in any field to reach the machine as it is.
func FuzzUserData(f *testing.F) {
	for _, s := range []string{
		"", "yes", "0644", "12:30:45", "52:54:00:11:22:33", "~", "null", "1e3", "- x", "a: b", "a #b", "#cloud-config",
		"\tindented\nline\n", " lead", "trail ", "line\n", "two\n\nlines\n\n", "{{ x }}", "${x}", `"'\`, "\x00", "\x7f", "\u0085", "\u2028", "\ufeff", "é😀", "|", ">-", "%", "@", "`",
	} {
		f.Add(s)
	}
	py := newPyYAML(f)
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip("Pulumi's strings are UTF-8")
		}
		text, err := cloudinit.UserData{
			Hostname:   s,
			Users:      []cloudinit.User{{Name: s, SSHAuthorizedKeys: []string{s}}},
			Passwords:  &cloudinit.Passwords{Users: []cloudinit.Password{{Name: s, Password: s}}},
			WriteFiles: []cloudinit.WriteFile{{Path: s, Permissions: "0600", Content: s}},
		}.Marshal()
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(text, "#cloud-config\n"))
		file := map[string]any{"path": s, "owner": "", "permissions": "0600", "content": s}
		got := py.load(t, text)
		require.Equal(t, s, got["hostname"])
		require.Equal(t, []any{file}, got["write_files"])
		require.Equal(t, []any{s}, got["users"].([]any)[0].(map[string]any)["ssh_authorized_keys"])
	})
}

// TestNumericMAC requires a MAC that YAML 1.1 could take for a number in quotes.
func TestNumericMAC(t *testing.T) {
	t.Parallel()
	text, err := cloudinit.NetworkConfig([]cloudinit.Interface{
		{Name: "libvirt0", MAC: "52:54:00:11:22:33", IP: "10.0.0.2", Prefix: 24, Gateway: "10.0.0.1"},
		{Name: "macvtap0", MAC: "52:54:00:11:22:34", IP: "2001:db8::2", Prefix: 64, Gateway: "2001:db8::1"},
	})
	require.NoError(t, err)
	ethernets := newPyYAML(t).load(t, text)["ethernets"].(map[string]any)
	libvirt := ethernets["libvirt0"].(map[string]any)
	require.Equal(t, "52:54:00:11:22:33", libvirt["match"].(map[string]any)["macaddress"])
	require.Equal(t, []any{map[string]any{"to": "0.0.0.0/0", "via": "10.0.0.1"}}, libvirt["routes"])
	require.Equal(t, []any{map[string]any{"to": "::/0", "via": "2001:db8::1"}}, ethernets["macvtap0"].(map[string]any)["routes"])
}
