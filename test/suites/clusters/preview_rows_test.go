package clusters

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOfSettings has previews say the rest of what may change in a cluster of etcd.
func TestPreviewsOfSettings(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(3)...)
	c.Up()
	was, next := c.options, newAuthority(t)
	for name, to := range map[string]func(*options){
		"resolvers": func(o *options) { o.key, o.dns = anotherKey, "10.77.0.53" },
		"memory":    func(o *options) { o.memory = 2048 },
		"authority": extra(fmt.Sprintf("trustedCaCerts: [%q]", next.certPEM)),
		"secret":    extra("adminUserPassword: hush-hush-admin"),
		"backup":    extra("backup: {s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: hush-hush-a, secretKey: hush-hush-s}}"),
		"clock":     extra("chrony: {pools: [{url: pool.example.org}]}"),
		"firewall":  extra("firewall: {additionalPorts: [{port: 8080, networks: [10.0.0.0/8]}]}"),
		"proxy":     extra("aptProxy: 'http://10.0.0.1:3142'"),
		"logs":      extra(fmt.Sprintf("fluentbit: {forward: {domain: logs.example.org, port: 24224, sharedKey: hush-hush-f, caCert: %q}}", next.certPEM)),
		"version":   extra("etcd: {version: 3.6.6}"),
		"stopped":   func(o *options) { o.of = map[string]string{"etcd-2": "            autostart: false\n"} },
		"moved":     func(o *options) { o.at = map[string]string{"etcd-3": "33"} },
		"renamed":   func(o *options) { o.members = []string{"etcd-1", "etcd-2", "etcd-4"} },
		"unknown": func(o *options) {
			o.next, o.extra = true, "      trustedCaCerts: [\"${next.certPem}\"]\n"
		},
	} {
		c.change(func(o *options) { *o = was; to(o) })
		preview := c.Preview()
		previews.Reads(t, "etcd/"+name, c.subnet, preview)
		assert.NotContains(t, preview.Stdout+preview.Stderr, "hush-hush", name)
	}
}

func extra(input string) func(*options) {
	return func(o *options) { o.extra = "      " + input + "\n" }
}

// TestPreviewsOfRefusals has previews refuse what costs the data of a cluster, or of its only member.
func TestPreviewsOfRefusals(t *testing.T) {
	t.Parallel()
	c := newCluster(t, "etcd-1")
	c.Up()
	c.change(func(o *options) { o.pool = "other" })
	previews.Reads(t, "etcd/data-refused", c.subnet, c.PreviewFails())
	c.change(extra("allowDataLoss: true"))
	previews.Reads(t, "etcd/data-allowed", c.subnet, c.Preview())
	c.change(func(o *options) {
		*o = options{members: named(1), memory: o.memory, image: o.image, limit: o.limit, extra: newAuthority(t).input()}
	})
	previews.Reads(t, "etcd/authority-refused", c.subnet, c.PreviewFails())
}

// TestPreviewsOfTwo has previews of a cluster of two members refuse what costs one its data, or both at
// once their machines, and say what another authority does once it is trusted.
func TestPreviewsOfTwo(t *testing.T) {
	t.Parallel()
	c := newCluster(t, named(2)...)
	c.Up()
	was, last, next := c.options, c.Output("caCert"), newAuthority(t)
	c.change(func(o *options) { o.pool = "other" })
	previews.Reads(t, "etcd/data-of-two-refused", c.subnet, c.PreviewFails())
	c.change(func(o *options) { *o = was; o.image = "debian-14.qcow2"; extra("skipHealthChecks: true")(o) })
	previews.Reads(t, "etcd/unasked-refused", c.subnet, c.PreviewFails())
	c.change(func(o *options) { *o = was; extra(fmt.Sprintf("trustedCaCerts: [%q]", next.certPEM))(o) })
	c.Up()
	c.change(func(o *options) { *o = was; o.extra = next.input() + fmt.Sprintf("      trustedCaCerts: [%q]\n", last) })
	previews.Reads(t, "etcd/authority-signs", c.subnet, c.Preview())
}
