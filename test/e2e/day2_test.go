//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

// day2 is the platform while its configuration and certificates change.
type day2 struct {
	platform
	edits  map[string][]string // what is changed in each stack's program: old text and new
	writer string              // program
}

// Where the programs of the platform take something more.
const (
	clusterInput  = "      installDependencies: ${installDependencies}\n"
	etcdSetting   = "        clientCertAuth: false\n"
	dnsSetting    = "      dns: {alternateDnsServers: [\"${subnet}.1\"]}\n"
	patroniInput  = "        scope: platform\n"
	haproxyInput  = "        postgresNodesMaxCount: 3\n"
	reissued      = clusterInput + "      certificate: {organization: another}\n"
	balancersNet  = "ip: \"${subnet}.41\", prefixLength: 24, gateway: \"${subnet}.1\", dnsServers: [\"${subnet}.1\"]"
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

// TestDay2 changes the platform of the examples while clients write: through the
// load balancer, and to etcd. No machine is made anew but where that is asked for.
func TestDay2(t *testing.T) {
	d := &day2{newPlatform(t), map[string][]string{}, buildWriter(t)}
	for _, step := range []struct {
		name string
		run  func(*testing.T, *day2)
	}{
		{"boot", func(t *testing.T, d *day2) {
			testBoot(t, d.platform)
			d.database.must(t, "CREATE TABLE numbers (n int PRIMARY KEY)")
		}},
		{"settings", testLiveSettings},
		{"certificates", testRenewal},
		{"mistake", testMistake},
		{"authority", testAuthority},
		{"rebuild", testBesideRebuild},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, d) }) {
			return
		}
	}
}

// edit replaces text in the program of a stack, instead of what was last put there.
func (d *day2) edit(t *testing.T, name, old, now string) {
	t.Helper()
	edits := d.edits[name]
	for i := 0; i < len(edits); i += 2 {
		if edits[i] == old {
			edits = slices.Delete(edits, i, i+2)
			break
		}
	}
	d.edits[name] = append(edits, old, now)
	d.stack(name).Program(d.text(t, name))
}

func (d *day2) text(t *testing.T, name string) string {
	t.Helper()
	text := stackProgram(t, name)
	if name == "dns" {
		text = d.names
	}
	for i := 0; i < len(d.edits[name]); i += 2 {
		require.Contains(t, text, d.edits[name][i])
		text = strings.Replace(text, d.edits[name][i], d.edits[name][i+1], 1)
	}
	return text
}

func (d *day2) stack(name string) *engine.Stack {
	return map[string]*engine.Stack{"etcd": d.etcd, "dns": d.dns, "postgres": d.postgres}[name]
}

// live is an update after which all is in force, and no machine was made anew.
func (d *day2) live(t *testing.T, name string) {
	t.Helper()
	begun := time.Now()
	up := d.stack(name).Up()
	t.Logf("%s: in force %s after the begin of up", name, time.Since(begun).Round(100*time.Millisecond))
	assert.Empty(t, replaced(up))
	assert.Empty(t, up.Ops("Volume"))
	assert.NotEmpty(t, up.Ops("Domain"))
}

// whileWriting has both clients write.
func (d *day2) whileWriting(t *testing.T, during func()) {
	t.Helper()
	outputs, err := json.Marshal(d.etcd.Outputs())
	require.NoError(t, err)
	d.database.ca = secretFile(t, "postgres-ca.crt", d.postgres.Output("caCert"))
	var stdout, stderr strings.Builder
	cmd := exec.Command(program, "shell", d.writer, "-outputs", secretFile(t, "outputs.json", string(outputs)), "-prefix", fmt.Sprintf("numbers/%d/", time.Now().UnixNano()))
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it has not ended by then
	d.database.whileWriting(t, during)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), stderr.String())
	assert.Positive(t, acknowledged(t, stdout.String()))
	t.Logf("%d of %d rows acknowledged so far, none of them lost", len(d.database.acknowledged), d.database.tried)
}

// processes are those of the services that are not to restart, by their machine.
func (d *day2) processes(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for service, on := range map[string][]string{"etcd": members, "patroni": nodes} {
		for _, name := range on {
			all[name] = mainProcess(t, name, service)
		}
	}
	return all
}

func mainProcess(t *testing.T, machine, service string) string {
	t.Helper()
	return on(t, machine, "systemctl", "show", "--value", "--property=MainPID", service+".service")
}

// testLiveSettings has a setting of each service change.
func testLiveSettings(t *testing.T, d *day2) {
	before, dns := d.processes(t), status(t, "dns-1")["generation"]
	d.whileWriting(t, func() {
		d.edit(t, "etcd", etcdSetting, etcdSetting+"        spaceQuota: 1073741824\n")
		assert.Contains(t, d.etcd.Preview().Diagnostics, "restart: etcd.service")
		d.live(t, "etcd")
		d.edit(t, "dns", dnsSetting, strings.Replace(dnsSetting, "}\n", ", forwards: [{domainName: other.example, dnsServers: [\"${subnet}.1\"]}]}\n", 1))
		d.live(t, "dns")
		d.edit(t, "postgres", haproxyInput, haproxyInput+"        timeouts: {idle: 1h}\n")
		assert.Contains(t, d.postgres.Preview().Diagnostics, "live: haproxy.service reloads")
		d.live(t, "postgres")
		d.edit(t, "postgres", patroniInput, patroniInput+"        loopWait: 9\n")
		d.edit(t, "postgres", oldParams, oldParams+"          work_mem: 5MB\n")
		assert.Contains(t, d.postgres.Preview().Diagnostics, "live: the running cluster takes its settings")
		d.live(t, "postgres")
	})
	for _, member := range members {
		assert.Contains(t, on(t, member, "cat", "/run/etcd/conf.yml"), "quota-backend-bytes: 1073741824", member)
		assert.NotEqual(t, before[member], mainProcess(t, member, "etcd"), member)
	}
	applied(t, "dns-1", dns)
	assert.Contains(t, on(t, "dns-1", "cat", "/etc/coredns/Corefile"), "forward other.example")
	assert.Equal(t, "active", on(t, "dns-1", "systemctl", "is-active", "coredns"))
	assert.Regexp(t, `timeout client\s+1h`, on(t, loadBalancer, "cat", "/etc/haproxy/haproxy.cfg"))
	d.shows(t, "work_mem", "5MB")
	config, err := patronictl("show-config")
	require.NoError(t, err)
	assert.Contains(t, config, "loop_wait: 9")
	for _, node := range nodes {
		assert.Equal(t, before[node], mainProcess(t, node, "patroni"), node)
	}
}

// testRenewal has every leaf certificate be made anew.
func testRenewal(t *testing.T, d *day2) {
	before, etcd, postgres := d.processes(t), served(t, "10.77.0.11:2379"), served(t, balancer+":5432", "-starttls", "postgres")
	d.whileWriting(t, func() {
		for _, name := range []string{"etcd", "postgres"} {
			d.edit(t, name, clusterInput, reissued)
			d.live(t, name)
		}
	})
	assert.Equal(t, before, d.processes(t), "nothing restarts")
	assert.NotEqual(t, etcd, served(t, "10.77.0.11:2379"))
	assert.NotEqual(t, postgres, served(t, balancer+":5432", "-starttls", "postgres"))
}

// served is the serial of the certificate that a server shows.
func served(t *testing.T, address string, options ...string) string {
	t.Helper()
	script := `openssl s_client "$@" </dev/null 2>/dev/null | openssl x509 -noout -serial`
	return must(t, append([]string{"shell", "timeout", "20", "sh", "-c", script, "sh", "-connect", address}, options...)...)
}

// testMistake has PostgreSQL refuse what it is given, and the mistake be corrected.
func testMistake(t *testing.T, d *day2) {
	before := d.processes(t)
	d.whileWriting(t, func() {
		d.edit(t, "postgres", oldParams, oldParams+"          work_mem: plenty\n")
		failed := d.postgres.UpFails()
		assert.Contains(t, failed.Diagnostics, nodes[0]+": it could not take up its new configuration (rolled back)")
		assert.Contains(t, failed.Diagnostics, `invalid value for parameter "work_mem"`)
		assert.Equal(t, []string{"update main-" + nodes[0] + "-domain"}, failed.Ops("Domain"), "the others are left alone")
		d.shows(t, "work_mem", "5MB")
		d.edit(t, "postgres", oldParams, oldParams+"          work_mem: 6MB\n")
		d.live(t, "postgres")
	})
	d.shows(t, "work_mem", "6MB")
	assert.Equal(t, before, d.processes(t), "it was refused before anything restarted")
}

// testAuthority has another authority sign, in three steps.
func testAuthority(t *testing.T, d *day2) {
	const signs = "      ca: {cert: \"${next.certPem}\", key: \"${nextKey.privateKeyPem}\"}\n"
	clusters, last := []string{"etcd", "postgres"}, map[string]string{}
	for _, name := range clusters {
		d.edit(t, name, "resources:\n", "resources:\n"+nextAuthority)
		d.stack(name).Up()
		last[name] = d.stack(name).Output("caCert")
		d.edit(t, name, clusterInput, reissued+signs)
		assert.Contains(t, d.stack(name).PreviewFails().Diagnostics, "must be one that all machines trust already")
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
		before := d.processes(t)
		d.whileWriting(t, func() {
			for _, name := range []string{"etcd", "dns", "postgres"} {
				if slices.Contains(clusters, name) {
					d.edit(t, name, clusterInput, reissued+step.inputs(name))
				}
				if name != "dns" || step.restarts { // what it trusts is the same otherwise
					d.live(t, name)
				}
			}
		})
		if !step.restarts {
			assert.Equal(t, before, d.processes(t), "nothing restarts")
		}
	}
	for _, name := range clusters {
		assert.NotEqual(t, last[name], d.stack(name).Output("caCert"))
	}
}

// testBesideRebuild measures a change of the load balancer both ways.
func testBesideRebuild(t *testing.T, d *day2) {
	took := func() time.Duration {
		begun := time.Now()
		d.postgres.Up()
		return time.Since(begun).Round(100 * time.Millisecond)
	}
	d.edit(t, "postgres", haproxyInput, haproxyInput+"        timeouts: {idle: 2h}\n")
	live := took()
	d.edit(t, "postgres", balancersNet, strings.Replace(balancersNet, "]", ", \"${subnet}.21\"]", 1))
	assert.Contains(t, d.postgres.Preview().Diagnostics, "rebuild: a fresh machine")
	rebuild := took()
	t.Logf("from up to in force on %s: live %s, rebuild %s", loadBalancer, live, rebuild)
	d.database.ca = secretFile(t, "postgres-ca.crt", d.postgres.Output("caCert"))
	d.database.works(t)
}
