//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const loadBalancer = "postgres-lb-1"

// testContainer has a fresh machine of the distribution's image run HAProxy
// from a registry, and go over to the distribution's HAProxy.
func testContainer(t *testing.T, p platform) {
	var processes string
	r := startRegistry(t, func() {
		out, _ := hardware.do("exec", loadBalancer, "sh", "-c", `cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\0' ' '`)
		processes += out
	})
	p.postgres.Setenv("FAKE_ROOTFS", sandboxAbout(t).of(string(stock)))
	p.balancer(t, r.inputs(registryPassword+"!"))
	failed := p.postgres.UpFails()
	assert.Contains(t, failed.Diagnostics, balancer+": it could not apply its new configuration (failed)")
	ended(t, loadBalancer, "failed", "haproxy-container")
	assert.Contains(t, machine(t, "console", loadBalancer), "invalid username/password")

	p.changed(t, r.inputs(registryPassword))
	r.stop() // the machine needs it no more
	p.database.works(t)
	assert.Contains(t, r.asked, "/v2/base/lb/haproxy/manifests/tested")
	container := inspect(t, "{{.ImageDigest}} {{.Id}}")
	assert.Contains(t, container, r.digest)
	assert.Contains(t, metrics(t), `server="`+nodeAddresses[2]+`"`)

	assert.Contains(t, processes, "podman login")
	assert.Contains(t, processes, "podman pull")
	assert.NotContains(t, processes, registryPassword)
	assert.NotContains(t, on(t, loadBalancer, "journalctl", "--no-pager"), registryPassword)
	keepsSecrets(t, loadBalancer, registryPassword, "/etc/haproxy-container/registry-password")
	assert.Empty(t, on(t, loadBalancer, "find", "/", "/run", "-xdev", "-name", "auth.json"), "a login that stays")

	_, err := hardware.do("exec", loadBalancer, "sh", "-c", "echo nonsense >>/etc/haproxy/haproxy.cfg && systemctl reload haproxy")
	require.Error(t, err)
	assert.Contains(t, on(t, loadBalancer, "journalctl", "--no-pager", "--unit=haproxy"), "unknown keyword 'nonsense'")
	p.database.works(t)

	p.changed(t, r.inputs(registryPassword)+"      haproxy: {timeouts: {idle: 20m}}\n")
	p.database.works(t)
	assert.Contains(t, on(t, loadBalancer, "cat", "/etc/haproxy/haproxy.cfg"), "20m")
	assert.Equal(t, container, inspect(t, "{{.ImageDigest}} {{.Id}}"), "a reload, no restart")
	machine(t, "reboot", loadBalancer)
	p.database.works(t)

	p.changed(t, "")
	machine(t, "reboot", loadBalancer)
	wait(t, "HAProxy runs again", func() error { // clients may come by another load balancer
		_, err := hardware.do("exec", loadBalancer, "systemctl", "is-active", "haproxy")
		return err
	})
	p.database.works(t)
	assert.Equal(t, "/usr/sbin/haproxy", on(t, loadBalancer, "sh", "-c", `readlink /proc/"$(systemctl show --value --property=MainPID haproxy)"/exe`))
	assert.Empty(t, on(t, loadBalancer, "podman", "ps", "--all", "--quiet"))
}

// changed has the load balancer take up a change.
func (p platform) changed(t *testing.T, inputs string) {
	t.Helper()
	p.balancer(t, inputs)
	p.postgres.Up()
}

// balancer has the program make the load balancer's machine one of another
// image, which installs what it needs.
func (p platform) balancer(t *testing.T, inputs string) {
	t.Helper()
	const install, kind = "installDependencies: ${installDependencies}\n", "    type: quorum:PostgresCluster\n"
	p.edit(t, "postgres", byName, inputs)
	p.edit(t, "postgres", install, "installDependencies: true\n      aptProxy: "+must(t, "apt-proxy")+"\n")
	p.edit(t, "postgres", kind, kind+"    options: {customTimeouts: {update: 5m}}\n")
	p.edit(t, "postgres", balancerItem, strings.TrimSuffix(balancerItem, "}")+", libvirt: {volume: {baseVolumeName: stock.qcow2}}}")
}

// byName has the load balancer find the nodes by a name. Without it, it has
// their addresses.
const byName = `      haproxy:
        domain: nodes.postgres.${dns.outputs["domain"]}
        nameserverIps: ['${dns.outputs["nameserver"]}']
        postgresNodesMaxCount: 3
`

// inspect says something of the container.
func inspect(t *testing.T, format string) string {
	t.Helper()
	return on(t, loadBalancer, "podman", "inspect", "--type=container", "--format="+format, "haproxy")
}

// metrics are the load balancer's.
func metrics(t *testing.T) string {
	t.Helper()
	return must(t, "shell", "curl", "--silent", "--fail", "--noproxy", "*", "--max-time", "20", fmt.Sprintf("http://%s:8404/metrics", balancer))
}
