package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

// postgresProgram is a program with a PostgresCluster, and an EtcdCluster of one
// member that it keeps its lock in.
type postgresProgram struct {
	subnet string
	nodes  []postgresMachine
	made   int // nodes so far
	image  int
	memory int // work_mem, which is reloaded
	most   int // max_connections, which needs a restart
	idle   int // hours, a timeout of the load balancer
	owner  string
}

type postgresMachine struct {
	name, address, uri string
	vcpus              int
}

func newPostgresProgram(subnet string, size int) postgresProgram {
	p := postgresProgram{subnet: subnet, image: 13, memory: 8, most: 50, idle: 1, owner: "quorum"}
	for range size {
		p.nodes = append(p.nodes, p.another())
	}
	return p
}

func (p *postgresProgram) another() postgresMachine {
	p.made++
	return postgresMachine{name: fmt.Sprintf("postgres-%d", p.made), address: fmt.Sprintf("%s.%d", p.subnet, 10+p.made), vcpus: 1}
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
      postgres: {params: {work_mem: %[7]dMB, max_connections: "%[8]d"}}
      patroni: {scope: main, loopWait: 3, watchdogMode: "off"}
      haproxy: {timeouts: {idle: %[9]dh}}
      nodes:
`, limit, engine.SSHKey, etcdOfPostgres, p.subnet, data, p.owner, p.memory, p.most, p.idle)
	for _, n := range p.nodes {
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

// postgresEdits are the changes of the program.
var postgresEdits = map[string]func(p *postgresProgram, at int) string{
	"nothing": func(*postgresProgram, int) string { return "" },
	"a node is rebuilt": func(p *postgresProgram, at int) string {
		n := &p.nodes[at%len(p.nodes)]
		n.vcpus = 3 - n.vcpus
		return fmt.Sprintf("%s has %d vcpus", n.name, n.vcpus)
	},
	"a node is removed": func(p *postgresProgram, at int) string {
		if len(p.nodes) == 1 {
			return ""
		}
		i := at % len(p.nodes)
		name := p.nodes[i].name
		p.nodes = slices.Delete(slices.Clone(p.nodes), i, i+1)
		return name + " is removed"
	},
	"a node is added": func(p *postgresProgram, _ int) string {
		if len(p.nodes) >= 4 {
			return ""
		}
		n := p.another()
		p.nodes = append(slices.Clone(p.nodes), n)
		return n.name + " is added"
	},
	"a node moves": func(p *postgresProgram, at int) string {
		n := &p.nodes[at%len(p.nodes)]
		if n.uri = "qemu+ssh://b/system"; at%2 == 1 {
			n.uri = "qemu+ssh://c/system"
		}
		return n.name + " moves to " + n.uri
	},
	"the image": func(p *postgresProgram, _ int) string {
		p.image = 27 - p.image
		return fmt.Sprintf("image debian-%d", p.image)
	},
	"a parameter": func(p *postgresProgram, _ int) string {
		p.memory = 24 - p.memory
		return fmt.Sprintf("work_mem %dMB", p.memory)
	},
	"a parameter that needs a restart": func(p *postgresProgram, _ int) string {
		p.most = 110 - p.most
		return fmt.Sprintf("max_connections %d", p.most)
	},
	"the certificates": func(p *postgresProgram, at int) string {
		p.owner = fmt.Sprintf("owner-%s%d", p.owner[len(p.owner)-1:], at)
		return "certificates of " + p.owner
	},
	"the load balancer": func(p *postgresProgram, _ int) string {
		p.idle = 3 - p.idle
		return fmt.Sprintf("idle timeout %dh", p.idle)
	},
}
