package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/engine"
)

// etcdProgram is a program with an EtcdCluster. Its members have names and
// addresses that no other ever gets.
type etcdProgram struct {
	subnet  string
	members []etcdMachine
	made    int // members so far
	image   int
	memory  int
	beat    int
	version string
	quota   int
	owner   string // of the certificates
}

type etcdMachine struct {
	name, address, uri string
	vcpus              int
}

func newEtcdProgram(subnet string, size int) etcdProgram {
	p := etcdProgram{subnet: subnet, image: 13, memory: 1024, beat: 100, owner: "quorum"}
	for range size {
		p.members = append(p.members, p.another())
	}
	return p
}

func (p *etcdProgram) another() etcdMachine {
	p.made++
	return etcdMachine{name: fmt.Sprintf("etcd-%d", p.made), address: fmt.Sprintf("%s.%d", p.subnet, p.made), vcpus: 1}
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
	for _, m := range p.members {
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

// etcdEdits are the changes of the program.
var etcdEdits = map[string]func(p *etcdProgram, at int) string{
	"nothing": func(*etcdProgram, int) string { return "" },
	"a member is rebuilt": func(p *etcdProgram, at int) string {
		m := &p.members[at%len(p.members)]
		m.vcpus = 3 - m.vcpus
		return fmt.Sprintf("%s has %d vcpus", m.name, m.vcpus)
	},
	"a member is removed": func(p *etcdProgram, at int) string {
		if len(p.members) == 1 {
			return ""
		}
		i := at % len(p.members)
		name := p.members[i].name
		p.members = slices.Delete(slices.Clone(p.members), i, i+1)
		return name + " is removed"
	},
	"a member is added": func(p *etcdProgram, _ int) string {
		if len(p.members) >= 5 {
			return ""
		}
		m := p.another()
		p.members = append(slices.Clone(p.members), m)
		return m.name + " is added"
	},
	"a member is renamed": func(p *etcdProgram, at int) string {
		m := &p.members[at%len(p.members)]
		old, other := m.name, p.another()
		m.name, m.address = other.name, other.address
		return old + " becomes " + m.name
	},
	"a member moves": func(p *etcdProgram, at int) string {
		m := &p.members[at%len(p.members)]
		if m.uri = "qemu+ssh://b/system"; at%2 == 1 {
			m.uri = "qemu+ssh://c/system"
		}
		return m.name + " moves to " + m.uri
	},
	"the image": func(p *etcdProgram, _ int) string {
		p.image = 27 - p.image
		return fmt.Sprintf("image debian-%d", p.image)
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
	"the certificates": func(p *etcdProgram, at int) string {
		p.owner = fmt.Sprintf("owner-%s%d", p.owner[len(p.owner)-1:], at)
		return "certificates of " + p.owner
	},
	"the quota": func(p *etcdProgram, at int) string {
		if p.quota = 256 << 20; at%2 == 1 { // less than half of the volume, which has to hold its log and its defragmentation too
			p.quota = 384 << 20
		}
		return fmt.Sprintf("spaceQuota %d", p.quota)
	},
}
