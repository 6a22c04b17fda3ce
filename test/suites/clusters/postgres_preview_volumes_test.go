package clusters

import (
	"testing"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestDatabasePreviewsOfReplaced has previews say what --replace does to a node, and what it costs.
func TestDatabasePreviewsOfReplaced(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	for what, part := range map[string]string{"replace-data": "data-volume", "replace": "domain", "replace-drive": "cloud-init", "replace-all-of-one": "**"} {
		previews.Reads(t, "postgres/"+what, d.subnet, d.Preview("--replace", "**::main-postgres-2-"+part))
	}
	previews.Reads(t, "postgres/replace-authority", d.subnet, d.Preview("--replace", "**::main-ca-key"))
}
