//go:build e2e

package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// TestQuickstart brings up the quickstart in Python on virtual machines, as its
// users do. `make sdk` makes what it runs with.
func TestQuickstart(t *testing.T) {
	if _, is := hardware.(*virtual); !is {
		t.Skip("needs virtual machines: QUORUM_MACHINES=virtual")
	}
	options := stackOptions(t, baked, "", []string{"etcd-1", "etcd-2", "etcd-3"}, map[string]string{
		"subnet": "10.77.0", "network": "quorum", "memory": "1024", "installDependencies": "false",
	})
	options.Folder = filepath.Join("examples", "python", "quickstart")
	s := engine.New(t, options)
	s.Up()
	root := newClient("10.77.0.11:2379,10.77.0.12:2379,10.77.0.13:2379", secretFile(t, "ca.crt", s.Output("caCert")),
		"--cert="+secretFile(t, "root.crt", s.Output("rootCert")), "--key="+secretFile(t, "root.key", s.Output("rootKey")))
	assert.Equal(t, 3, strings.Count(root.run(t, "member", "list"), ", started, "))
	root.run(t, "put", "made", "by Python")
	assert.Empty(t, s.Up().Ops(""))
	assert.Contains(t, root.run(t, "get", "made"), "by Python")
	s.Destroy()
	assert.Empty(t, machines(t))
}
