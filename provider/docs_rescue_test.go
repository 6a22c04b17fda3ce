package provider

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

var withoutInDocs = regexp.MustCompile("(?s)- of the cluster: (.*?);\n     no (.*?);")

// TestRescueInDocs has the page that gets a table back by a copy of the platform's program say of each
// input of the cluster there that the copy is to do without it, but for those that it keeps or gives anew.
func TestRescueInDocs(t *testing.T) {
	t.Parallel()
	kept := []string{
		"sshAdminPublicKey", "installDependencies", "etcd", "libvirt", "nodes", "loadBalancers",
		"patroni", "postgres", "restore",
	}
	without := withoutInDocs.FindString(read(t, filepath.Join(docs, "backup.md")))
	require.NotEmpty(t, without)
	var cluster struct {
		Resources struct {
			Main struct{ Properties map[string]any }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, filepath.Join(docs, "..", "examples", "platform", "postgres", "Pulumi.yaml"))), &cluster))
	main := cluster.Resources.Main.Properties
	require.Contains(t, main, "virtualIp")
	for _, input := range slices.Sorted(maps.Keys(main)) {
		if !slices.Contains(kept, input) {
			assert.Contains(t, without, "`"+input+"`")
		}
	}
}
