package explore

import (
	"fmt"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// etcdProgram is a program with an EtcdCluster.
type etcdProgram struct {
	fleet

	memory  int
	beat    int
	version string
	quota   int
}

func newEtcdProgram(subnet string, size int) etcdProgram {
	return etcdProgram{fleet: fleet{name: "etcd", subnet: subnet, most: 5}.of(size), memory: 1024, beat: 100}
}

// text is the program, whose gates wait so long.
func (p etcdProgram) text(limit time.Duration) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
resources:
  main:
    type: quorum:EtcdCluster
    options: {customTimeouts: {create: %[1]s, update: %[1]s, delete: %[1]s}}
    properties:
      sshAdminPublicKey: %[2]s
      certificate: {organization: %[3]s}
      etcd: {heartbeatInterval: %[4]d%[5]s}
      members:
`, limit, engine.SSHKey, p.owner, p.beat, p.more())
	for _, m := range p.machines {
		fmt.Fprintf(&b, `        - name: %s
          libvirt:
            memory: %d
            vcpus: %d
            volume: {pool: default, baseVolumeName: debian-%d.qcow2}
            dataVolume: {pool: default, size: 1073741824}
            cloudInitVolumePool: default
            networks: [{networkName: default, ip: %s, prefixLength: 24}]
`, m.name, p.memory, m.vcpus, p.image, m.address)
		if m.uri != "" {
			fmt.Fprintf(&b, "            uri: %s\n", m.uri)
		}
	}
	b.WriteString(`outputs:
  caCert: ${main.caCert}
  rootCert: ${main.rootCert}
  rootKey: ${main.rootKey}
  clusterId: ${main.clusterId}
`)
	return b.String()
}

func (p etcdProgram) more() (text string) {
	if p.version != "" {
		text += ", version: " + p.version
	}
	if p.quota > 0 {
		text += fmt.Sprintf(", spaceQuota: %d", p.quota)
	}
	return text
}

// etcdEdits are the changes of this program alone.
var etcdEdits = map[string]func(p *etcdProgram, at int) string{
	"a machine is renamed": func(p *etcdProgram, at int) string {
		m := &p.machines[at%len(p.machines)]
		old, other := m.name, p.another()
		m.name, m.address = other.name, other.address
		return old + " becomes " + m.name
	},
	"the memory": func(p *etcdProgram, _ int) string {
		p.memory = 3072 - p.memory
		return fmt.Sprintf("memory %d", p.memory)
	},
	"a setting": func(p *etcdProgram, _ int) string {
		p.beat = 250 - p.beat
		return fmt.Sprintf("heartbeatInterval %d", p.beat)
	},
	"the version": func(p *etcdProgram, _ int) string {
		if p.version = map[string]string{"": "3.6.6", "3.6.6": "3.6.7"}[p.version]; p.version == "" {
			p.version = "3.6.6"
		}
		return "version " + p.version
	},
	"the quota": func(p *etcdProgram, at int) string {
		if p.quota = 256 << 20; at%2 == 1 { // less than half of the volume, which has to hold its log and its defragmentation too
			p.quota = 384 << 20
		}
		return fmt.Sprintf("spaceQuota %d", p.quota)
	},
}
