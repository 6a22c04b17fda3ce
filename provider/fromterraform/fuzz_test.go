package fromterraform

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// FuzzRead takes anything for a state.
func FuzzRead(f *testing.F) {
	for _, name := range states(f) {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		all, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		wellFormed(t, all)
	})
}

// FuzzUserData takes anything for a part of what a machine was given.
func FuzzUserData(f *testing.F) {
	for _, s := range []string{document, parts(document), b64(document), "a: b\n---\n", "${x}", "$${x}", "# x\n- {fn::invoke: 1}", "\t", "'", "\u0085", "\x00", "&a [*a]", "x: &a {b: *a}"} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, name, conf, whole string) {
		files := []map[string]string{}
		for _, path := range []string{"/etc/etcd/conf.yml", "/etc/patroni/conf.yml", "/opt/haproxy/haproxy.cfg", "/etc/coredns/Corefile"} {
			files = append(files, map[string]string{"path": path, "content": conf})
		}
		for i := range files { // JSON is YAML, whatever is in there
			text, err := json.Marshal(map[string]any{"write_files": files[i : i+1], "hostname": name, "users": []any{map[string]any{"name": name, "ssh_authorized_keys": []string{conf}}}})
			require.NoError(t, err)
			wellFormed(t, machineWith(name, "#cloud-config\n"+string(text)))
		}
		wellFormed(t, machineWith(name, whole))
	})
}

func machineWith(name, userData string) []Resource {
	return []Resource{
		{Address: "libvirt_domain." + name, Type: "libvirt_domain", Values: values{
			"name": name, "cloudinit": "drive;1", "memory": json.Number("1024"), "disk": []any{map[string]any{"volume_id": name}, map[string]any{"volume_id": name}},
			"network_interface": []any{map[string]any{"network_name": name, "mac": name, "addresses": []any{name}}},
		}},
		{Address: "libvirt_cloudinit_disk." + name, Type: "libvirt_cloudinit_disk", Values: values{"id": "drive;1", "user_data": userData, "network_config": name, "pool": name}},
		{Address: "libvirt_volume." + name, Type: "libvirt_volume", Values: values{"id": name, "pool": name, "base_volume_name": name}},
	}
}

// wellFormed requires a program to be in YAML and to refer to nothing but what it has.
func wellFormed(t *testing.T, all []Resource) {
	made, err := Convert("fuzz", all)
	if err != nil {
		if strings.Contains(err.Error(), "no machine of the five modules") {
			return
		}
		t.Skip(err)
	}
	var program struct {
		Config    map[string]any
		Resources yaml.Node
	}
	require.NoError(t, yaml.Unmarshal(made.Text, &program), string(made.Text))
	resources := map[string]bool{}
	for i := 0; i < len(program.Resources.Content); i += 2 {
		resources[program.Resources.Content[i].Value] = true
	}
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			for rest := n.Value; ; {
				rest = strings.ReplaceAll(rest, "$$", "")
				_, after, is := strings.Cut(rest, "${")
				if !is {
					break
				}
				name, _, _ := strings.Cut(after, "}")
				of, _, _ := strings.Cut(name, ".")
				_, has := program.Config[name]
				require.True(t, has || resources[of], "%q refers to what is not there:\n%s", n.Value, made.Text)
				rest = after
			}
		}
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			require.False(t, strings.HasPrefix(n.Content[i].Value, "fn::"), "a function: %s", made.Text)
		}
		for _, each := range n.Content {
			visit(each)
		}
	}
	visit(&program.Resources)
}
