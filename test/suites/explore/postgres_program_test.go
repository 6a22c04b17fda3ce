package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// postgresProgram is a program with a PostgresCluster, and an EtcdCluster of one
// member that it keeps its lock in.
type postgresProgram struct {
	fleet

	memory int // work_mem, which is reloaded
	most   int // max_connections, which needs a restart
	idle   int // hours, a timeout of the load balancer
}

func newPostgresProgram(subnet string, size int) postgresProgram {
	return postgresProgram{fleet: fleet{name: "postgres", subnet: subnet, first: 10, most: 4}.of(size), memory: 8, most: 50, idle: 1}
}

const (
	etcdOfPostgres = "etcd-1"
	balancer       = "lb-1"
)

// text is the program, whose gates wait so long.
func (p postgresProgram) text(limit time.Duration) string {
	var b strings.Builder
	machine := func(name, address, more string) {
		fmt.Fprintf(&b, `        - name: %s
          libvirt:
            volume: {pool: default, baseVolumeName: debian-%d.qcow2}
            cloudInitVolumePool: default
            networks: [{networkName: default, ip: %s, prefixLength: 24}]
%s`, name, p.image, address, more)
	}
	const data = "            dataVolume: {pool: default, size: 1073741824}\n"
	fmt.Fprintf(&b, `
resources:
  etcd:
    type: quorum:EtcdCluster
    options: {customTimeouts: {create: %[1]s, update: %[1]s, delete: %[1]s}}
    properties:
      sshAdminPublicKey: %[2]s
      etcd: {grpcGatewayEnabled: true, clientCertAuth: false}
      members:
        - name: %[3]s
          libvirt:
            volume: {pool: default, baseVolumeName: debian-13.qcow2}
            cloudInitVolumePool: default
            networks: [{networkName: default, ip: %[4]s.1, prefixLength: 24}]
%[5]s  main:
    type: quorum:PostgresCluster
    options: {customTimeouts: {create: %[1]s, update: %[1]s, delete: %[1]s}}
    properties:
      sshAdminPublicKey: %[2]s
      etcd: {endpoints: "${etcd.endpoints}", caCert: "${etcd.caCert}", username: root, password: "${etcd.rootPassword}"}
      certificate: {organization: %[6]s}
      postgres: {params: {work_mem: %[7]dMB, max_connections: "%[8]d"}, access: [{users: [postgres], networks: [127.0.0.0/8]}]}
      patroni: {scope: main, loopWait: 3, watchdogMode: "off"}
      haproxy: {timeouts: {idle: %[9]dh}}
      nodes:
`, limit, engine.SSHKey, etcdOfPostgres, p.subnet, data, p.owner, p.memory, p.most, p.idle)
	for _, n := range p.machines {
		more := fmt.Sprintf("            vcpus: %d\n", n.vcpus)
		if n.uri != "" {
			more += fmt.Sprintf("            uri: %s\n", n.uri)
		}
		machine(n.name, n.address, data+more)
	}
	b.WriteString("      loadBalancers:\n")
	machine(balancer, p.subnet+".41", "")
	b.WriteString(`outputs:
  primary: ${main.primaryEndpoints}
  caCert: ${main.caCert}
  password: ${main.superuserPassword}
  systemId: ${main.systemId}
`)
	return b.String()
}

// postgresEdits are the changes of this program alone.
var postgresEdits = map[string]func(p *postgresProgram, at int) string{
	"a parameter": func(p *postgresProgram, _ int) string {
		p.memory = 24 - p.memory
		return fmt.Sprintf("work_mem %dMB", p.memory)
	},
	"a parameter that needs a restart": func(p *postgresProgram, _ int) string {
		p.most = 110 - p.most
		return fmt.Sprintf("max_connections %d", p.most)
	},
	"the load balancer": func(p *postgresProgram, _ int) string {
		p.idle = 3 - p.idle
		return fmt.Sprintf("idle timeout %dh", p.idle)
	},
}
