package clusters

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secrets are inputs of the clusters with a secret of each kind, and of a user of etcd.
type secrets struct {
	of  func(what string) string
	all bool // else those alone that machines of this suite take while they run
}

func (s secrets) program(t *testing.T, d *database, next *authority) string {
	t.Helper()
	secret := func(what string) string { return fmt.Sprintf("{fn::secret: %q}", s.of(what)) }
	s3 := func(of string) string {
		return fmt.Sprintf("{endpoint: 'https://s3.example.org', bucket: backups, accessKey: %s, secretKey: %s}", s.of(of+"-access"), s.of(of+"-secret"))
	}
	common := func(of string) string {
		if !s.all {
			return ""
		}
		logs := fmt.Sprintf("{endpoints: ['10.77.0.11:2379'], caCert: %q, username: logs, password: %s}", next.certPEM, s.of(of+"-logs"))
		return fmt.Sprintf("      fluentbit: {forward: {domain: logs.example.org, hostname: logs.example.org, port: 24224, caCert: %q, sharedKey: %s}, dynamicConfig: {keyPrefix: /logs, etcd: %s}}\n", next.certPEM, s.of(of+"-forward"), logs)
	}
	d.change(func(o *databaseOptions) {
		o.params = fmt.Sprintf("work_mem: 8MB, shop.token: %s, log_line_prefix: %s", secret("parameter"), secret("prefix"))
		o.postgres = fmt.Sprintf(", superuserPassword: %s, replicatorPassword: %s, rewindPassword: %s", s.of("superuser"), s.of("replicator"), s.of("rewind"))
		if o.haproxy = common("postgres"); !s.all {
			return
		}
		o.haproxy += fmt.Sprintf("      containerRegistry: {url: 'https://registry.example.org', username: someone, password: %s}\n", s.of("registry")) +
			fmt.Sprintf("      restore: {s3: %s, stanza: main-5f2c91aa, encryptionKey: %s}\n", s3("restore"), s.of("restore-key"))
	})
	const etcd = "      etcd: {grpcGatewayEnabled: true, clientCertAuth: false}\n"
	text := d.options.program(d.subnet)
	require.Contains(t, text, etcd)
	admin := "" // of nodes, none changes beside their other passwords
	if s.all {
		admin = fmt.Sprintf("      adminUserPassword: %s\n", s.of("etcd-admin"))
	}
	text = strings.Replace(text, etcd, etcd+common("etcd")+admin+fmt.Sprintf("      rootPassword: %s\n", s.of("root")), 1)
	return strings.Replace(text, "resources:\n", "resources:\n"+fmt.Sprintf(`  shop:
    type: quorum:EtcdUser
    properties:
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      password: %s
`, s.of("user")), 1)
}

// TestSecretsOfPreviews has each kind of secret change: no preview, be it with --diff, nor the log of its events tells
// one, a part of it, or its length.
func TestSecretsOfPreviews(t *testing.T) { //nolint:paralleltest // three databases at once are enough for a machine
	d, next := newDatabase(t, "postgres-1"), newAuthority(t)
	d.change(func(o *databaseOptions) { o.patroni = ", isSynchronous: false" })
	long := strings.Repeat("0123456789", 6)
	program := func(suffix string, all bool) string {
		return secrets{func(what string) string { return "hush-hush-" + what + suffix }, all}.program(t, d, next)
	}
	d.Program(program("-first", false))
	d.Up()
	var texts []string
	for _, suffix := range []string{"-other", "-" + long} {
		d.Program(program(suffix, true))
		preview := d.Preview("--diff")
		for what, text := range map[string]string{"text": preview.Stdout, "errors": preview.Stderr, "messages": preview.Diagnostics, "events": string(preview.Events)} {
			for _, secret := range []string{"hush-", "-first", "-other", long[:10], "PRIVATE KEY", "#cloud-config"} {
				assert.NotContains(t, text, secret, what)
			}
		}
		for _, line := range []string{
			"rootPassword: [secret] changed", "adminUserPassword: [secret] set", "etcd.password: [secret] changed",
			"postgres.params.log_line_prefix: [secret] changed", "containerRegistry.password: [secret] set",
		} {
			assert.Contains(t, preview.Diagnostics, line)
		}
		assert.Contains(t, preview.Stdout, "~ password: [secret] => [secret]")
		ids := regexp.MustCompile(`[0-9a-f]{7,}(-[0-9a-f]{4}){0,3}|Duration.*|tmp/.*`)
		lines := strings.Split(ids.ReplaceAllString(preview.Stdout, "ID"), "\n")
		slices.Sort(lines) // resources come in another order each time
		texts = append(texts, strings.Join(lines, "\n"))
	}
	assert.Equal(t, texts[0], texts[1], "a long secret is shown as a short one")
}
