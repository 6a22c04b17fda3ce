//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where the programs of the platform take something more.
const (
	clusterInput  = "      installDependencies: ${installDependencies}\n"
	etcdSetting   = "        clientCertAuth: false\n"
	dnsSetting    = "      dns: {alternateDnsServers: [\"${subnet}.1\"]}\n"
	patroniInput  = "        scope: platform\n"
	haproxyInput  = "        postgresNodesMaxCount: 3\n"
	reissued      = clusterInput + "      certificate: {organization: another}\n"
	balancerItem  = "{name: " + loadBalancer + ", ip: \"${subnet}.41\"}"
	nextAuthority = `  nextKey: {type: "tls:PrivateKey", properties: {algorithm: ECDSA, ecdsaCurve: P256}}
  next:
    type: tls:SelfSignedCert
    properties:
      privateKeyPem: ${nextKey.privateKeyPem}
      isCaCertificate: true
      allowedUses: [cert_signing, crl_signing, digital_signature]
      validityPeriodHours: 8760
      subject: {commonName: next}
`
)

// live is an update after which all is in force, and no machine was rebuilt.
func (p platform) live(t *testing.T, name string) {
	t.Helper()
	begun := time.Now()
	up := p.stack(name).Up()
	t.Logf("%s: in force %s after the begin of up", name, time.Since(begun).Round(100*time.Millisecond))
	assert.Empty(t, replaced(up))
	assert.Empty(t, up.Ops("Volume"))
	assert.NotEmpty(t, up.Ops("Domain"))
}

// whileWriting has both clients write.
func (p platform) whileWriting(t *testing.T, during func()) {
	t.Helper()
	p.trust(t)
	stop := startWriter(t, p.writer, p.etcd.Outputs(), fmt.Sprintf("numbers/%d/", time.Now().UnixNano()))
	p.database.whileWriting(t, during)
	assert.Positive(t, stop().wellGone(t))
	t.Logf("%d of %d rows acknowledged so far, none of them lost", len(p.database.acknowledged), p.database.tried)
}

// processes are those of the services that are not to restart, by their machine.
func (p platform) processes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for service, on := range map[string][]string{"etcd": members, "patroni": nodes} {
		for _, name := range on {
			all[name] = mainProcess(t, name, service)
		}
	}
	return all
}

// testLiveSettings has a setting of each service change.
func testLiveSettings(t *testing.T, p platform) {
	before, dns := p.processes(t), status(t, "dns-1")["generation"]
	p.whileWriting(t, func() {
		p.edit(t, "etcd", etcdSetting, etcdSetting+"        spaceQuota: 1073741824\n")
		assert.Contains(t, p.etcd.Preview().Diagnostics, "restart: etcd.service")
		p.live(t, "etcd")
		p.edit(t, "dns", dnsSetting, strings.Replace(dnsSetting, "}\n", ", forwards: [{domainName: other.example, dnsServers: [\"${subnet}.1\"]}]}\n", 1))
		p.live(t, "dns")
		p.edit(t, "postgres", haproxyInput, haproxyInput+"        timeouts: {idle: 1h}\n")
		assert.Contains(t, p.postgres.Preview().Diagnostics, "live: haproxy.service reloads")
		p.live(t, "postgres")
		p.edit(t, "postgres", patroniInput, patroniInput+"        loopWait: 9\n")
		p.edit(t, "postgres", connections, connections+"          work_mem: 5MB\n")
		assert.Contains(t, p.postgres.Preview().Diagnostics, "live: the running cluster takes its settings")
		p.live(t, "postgres")
	})
	for _, member := range members {
		assert.Contains(t, on(t, member, "cat", "/run/etcd/conf.yml"), "quota-backend-bytes: 1073741824", member)
		assert.NotEqual(t, before[member], mainProcess(t, member, "etcd"), member)
	}
	applied(t, "dns-1", dns)
	assert.Contains(t, on(t, "dns-1", "cat", "/etc/coredns/Corefile"), "forward other.example")
	assert.Equal(t, "active", on(t, "dns-1", "systemctl", "is-active", "coredns"))
	assert.Regexp(t, `timeout client\s+1h`, on(t, loadBalancer, "cat", "/etc/haproxy/haproxy.cfg"))
	p.shows(t, "work_mem", "5MB")
	config, err := patronictl("show-config")
	require.NoError(t, err)
	assert.Contains(t, config, "loop_wait: 9")
	for _, node := range nodes {
		assert.Equal(t, before[node], mainProcess(t, node, "patroni"), node)
	}
}

// testRenewal has every leaf certificate be renewed.
func testRenewal(t *testing.T, p platform) {
	before, etcd, postgres := p.processes(t), served(t, "10.77.0.11:2379"), served(t, balancer+":5432", "-starttls", "postgres")
	p.whileWriting(t, func() {
		for _, name := range []string{"etcd", "postgres"} {
			p.edit(t, name, clusterInput, reissued)
			p.live(t, name)
		}
	})
	assert.Equal(t, before, p.processes(t), "nothing restarts")
	assert.NotEqual(t, etcd, served(t, "10.77.0.11:2379"))
	assert.NotEqual(t, postgres, served(t, balancer+":5432", "-starttls", "postgres"))
}

// served is the serial of the certificate that a server shows.
func served(t *testing.T, address string, options ...string) string {
	t.Helper()
	script := `openssl s_client "$@" </dev/null 2>/dev/null | openssl x509 -noout -serial`
	return must(t, append([]string{"shell", "timeout", "20", "sh", "-c", script, "sh", "-connect", address}, options...)...)
}

// testMistake has PostgreSQL refuse what no preview can know to be wrong, and the mistake be corrected.
func testMistake(t *testing.T, p platform) {
	before := p.processes(t)
	p.whileWriting(t, func() {
		p.edit(t, "postgres", connections, connections+"          log_timezone: Mars/Olympus\n")
		failed := p.postgres.UpFails()
		assert.Contains(t, failed.Diagnostics, nodes[0]+": it could not apply its new configuration (rolled back)")
		assert.Contains(t, failed.Diagnostics, `invalid value for parameter "log_timezone"`)
		assert.Equal(t, []string{"update main-" + nodes[0] + "-domain"}, failed.Ops("Domain"), "the others are left alone")
		p.shows(t, "work_mem", "5MB")
		p.edit(t, "postgres", connections, connections+"          work_mem: 6MB\n")
		p.live(t, "postgres")
	})
	p.shows(t, "work_mem", "6MB")
	assert.Equal(t, before, p.processes(t), "it was refused before anything restarted")
}

// testAuthority has another authority sign, in three steps.
func testAuthority(t *testing.T, p platform) {
	const signs = "      ca: {cert: \"${next.certPem}\", key: \"${nextKey.privateKeyPem}\"}\n"
	clusters, last := []string{"etcd", "postgres"}, map[string]string{}
	for _, name := range clusters {
		p.edit(t, name, "resources:\n", "resources:\n"+nextAuthority)
		p.stack(name).Up()
		last[name] = p.stack(name).Output("caCert")
		p.edit(t, name, clusterInput, reissued+signs)
		assert.Contains(t, p.stack(name).PreviewFails().Diagnostics, "must be an authority that all machines already trust")
	}
	for _, step := range []struct {
		what     string
		restarts bool
		inputs   func(name string) string
	}{
		{"both are trusted", true, func(string) string { return "      trustedCaCerts: [\"${next.certPem}\"]\n" }},
		{"the next one signs", false, func(name string) string { return signs + fmt.Sprintf("      trustedCaCerts: [%q]\n", last[name]) }},
		{"the last one goes", true, func(string) string { return signs }},
	} {
		t.Log(step.what)
		before := p.processes(t)
		p.whileWriting(t, func() {
			for _, name := range []string{"etcd", "dns", "postgres"} {
				if slices.Contains(clusters, name) {
					p.edit(t, name, clusterInput, reissued+step.inputs(name))
				}
				if name != "dns" || step.restarts { // what it trusts is the same otherwise
					p.live(t, name)
				}
			}
		})
		if !step.restarts {
			assert.Equal(t, before, p.processes(t), "nothing restarts")
		}
	}
	for _, name := range clusters {
		assert.NotEqual(t, last[name], p.stack(name).Output("caCert"))
	}
	p.trust(t)
}

// testBesideRebuild measures a change of the load balancer both ways.
func testBesideRebuild(t *testing.T, p platform) {
	took := func() time.Duration {
		begun := time.Now()
		p.postgres.Up()
		return time.Since(begun).Round(100 * time.Millisecond)
	}
	p.edit(t, "postgres", haproxyInput, haproxyInput+"        timeouts: {idle: 2h}\n")
	live := took()
	p.edit(t, "postgres", balancerItem, `{name: postgres-lb-1, libvirt: {networks: [{networkName: "${network}", ip: "${subnet}.41", mac: "52:54:00:00:77:41", prefixLength: 24, gateway: "${subnet}.1", dnsServers: ["${subnet}.1"]}]}}`)
	assert.Contains(t, p.postgres.Preview().Diagnostics, "rebuild: a fresh machine")
	rebuild := took()
	t.Logf("from up to in force on %s: live %s, rebuild %s", loadBalancer, live, rebuild)
	p.database.works(t)
}
