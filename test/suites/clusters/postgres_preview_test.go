package clusters

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

const backedUp = "      backup: {s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: hush-hush-a, secretKey: hush-hush-s}}\n"

// pooled is a pool with these settings.
func pooled(settings string) string { return "      pooler: {" + settings + "}\n" }

// TestPreviewsOfPooler has previews say what adding a pool to a running cluster does, changing it, and taking it out.
func TestPreviewsOfPooler(t *testing.T) { //nolint:paralleltest // as TestDatabasePreviews
	d := newDatabase(t, "postgres-1", "postgres-2")
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = pooled("poolSize: 10") })
	previews.Reads(t, "postgres/pooler-added", d.subnet, d.Preview())
	d.Up()
	was := d.options
	for name, input := range map[string]string{
		"pooler-size": pooled("poolSize: 20, maxClientConnections: 5000"), "pooler-mode": pooled("poolSize: 10, poolMode: session"),
		"pooler-port": pooled("poolSize: 10, port: 7432"), "pooler-taken-out": "",
	} {
		d.change(func(o *databaseOptions) { *o = was; o.haproxy = input })
		previews.Reads(t, "postgres/"+name, d.subnet, d.Preview())
	}
}

// TestDatabasePreviews has previews say what each kind of change does to nodes and load balancers.
func TestDatabasePreviews(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d := newDatabase(t, "postgres-1", "postgres-2", "postgres-3")
	d.change(func(o *databaseOptions) { o.postgres = ", superuserPassword: hush-hush-old" })
	d.Up()
	was, next := d.options, newAuthority(t)
	for _, change := range []struct {
		name string
		to   func(*databaseOptions)
	}{
		{"parameter", func(o *databaseOptions) { o.params = "work_mem: 16MB" }},
		{"parameter-restart", func(o *databaseOptions) { o.params = "work_mem: 8MB, max_connections: 250" }},
		{"parameter-restart-rebuild", func(o *databaseOptions) { o.params, o.image = "work_mem: 8MB, max_connections: 250", "debian-14.qcow2" }},
		{"parameter-restart-memory", func(o *databaseOptions) { o.params, o.memory = "work_mem: 8MB, max_connections: 250", 4096 }},
		{"secret", func(o *databaseOptions) { o.postgres = ", superuserPassword: hush-hush-new" }},
		{"added", func(o *databaseOptions) { o.nodes = append(was.nodes[:3:3], "postgres-4") }},
		{"removed", func(o *databaseOptions) { o.nodes = was.nodes[:2] }},
		{"rebuild", func(o *databaseOptions) { o.image = "debian-14.qcow2" }},
		{"memory", func(o *databaseOptions) { o.memory = 4096 }},
		{"shared", func(o *databaseOptions) { o.haproxy = "      libvirt: {vcpus: 3}\n" }},
		{"haproxy", func(o *databaseOptions) { o.haproxy = "      haproxy: {timeouts: {idle: 1h}}\n" }},
		{"certificate", func(o *databaseOptions) { o.haproxy = "      certificate: {organization: another}\n" }},
		{"backup", func(o *databaseOptions) { o.haproxy = backedUp }},
		{"access", func(o *databaseOptions) { o.access = ", {users: [shop], networks: [10.0.0.0/8]}" }},
		{"authority", func(o *databaseOptions) { o.haproxy = fmt.Sprintf("      trustedCaCerts: [%q]\n", next.certPEM) }},
		{"grown", func(o *databaseOptions) { o.data = "2147483648" }},
		{"data", func(o *databaseOptions) { o.pool = "other" }},
	} {
		d.change(func(o *databaseOptions) { *o = was; change.to(o) })
		preview := d.Preview("--diff")
		previews.Reads(t, "postgres/"+change.name, d.subnet, preview)
		if !slices.Contains([]string{"added", "removed", "authority"}, change.name) { // of those the engine shows all inputs, or a certificate in part
			previews.Shows(t, "postgres/"+change.name, d.subnet, preview)
		}
		assert.NotContains(t, preview.Stdout+preview.Stderr, "hush-hush", change.name)
	}
	d.change(func(o *databaseOptions) { *o = was })
	preview := d.Preview("--diff")
	assert.True(t, preview.Unchanged())
	previews.Reads(t, "postgres/nothing", d.subnet, preview)
	assert.NotContains(t, d.Export(), "hush-hush")

	last, trusted := d.Output("caCert"), fmt.Sprintf("      trustedCaCerts: [%q]\n", next.certPEM)
	d.change(func(o *databaseOptions) { o.haproxy = trusted + restoreDatabase })
	d.Up()
	d.change(func(o *databaseOptions) { o.haproxy = trusted })
	previews.Reads(t, "postgres/restore-taken-out", d.subnet, d.Preview())
	d.change(func(o *databaseOptions) {
		o.haproxy = next.input() + fmt.Sprintf("      trustedCaCerts: [%q]\n", last) + restoreDatabase
	})
	previews.Reads(t, "postgres/authority-signs", d.subnet, d.Preview())
}
