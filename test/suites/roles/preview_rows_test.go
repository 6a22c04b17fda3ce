package roles

import (
	"strings"
	"testing"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/previews"
)

// TestPreviewsOfRows has previews say what the rows of docs/day-2.md do that no machine goes through in TestLife.
func TestPreviewsOfRows(t *testing.T) {
	t.Parallel()
	const disk, named = "libvirt: {dataVolume: {pool: default, size: 17179869184}}", "libvirt: {cloudInitVolumeName: mine.iso, dataVolume: {pool: default, size: 17179869184}}"
	network := func(more string) string {
		return "libvirt: {networks: [{networkName: default, ip: 10.77.0.11, prefixLength: 24, " + more + "}]}"
	}
	for name, c := range map[string]struct {
		role    role
		before  string
		changes map[string]string
	}{
		"EtcdServer": {etcdServer, disk, map[string]string{
			"CPU mode":                 "libvirt: {cpuMode: maximum}",
			"kind of hypervisor":       "libvirt: {domainType: qemu}",
			"MAC":                      network("mac: '52:54:00:00:00:01'"),
			"gateway":                  network("gateway: 10.77.0.1"),
			"root volume":              "libvirt: {volume: {baseVolumeId: /pool/other.qcow2}}",
			"hypervisor refused":       "libvirt: {uri: qemu+ssh://other/system}",
			"hypervisor":               "{allowDataLoss: true, libvirt: {uri: qemu+ssh://other/system}}",
			"name":                     "{allowDataLoss: true, name: two, cluster: {initialMembers: [{name: two, ip: 10.77.0.11}]}}",
			"data volume grows":        "libvirt: {dataVolume: {size: 21474836480}}",
			"data volume's pool":       "{allowDataLoss: true, libvirt: {dataVolume: {pool: other}}}",
			"data volume gone":         "{allowDataLoss: true, libvirt: {dataVolume: null}}",
			"not started":              "libvirt: {autostart: false, running: false}",
			"drive's pool":             "libvirt: {cloudInitVolumePool: other}",
			"no packages":              "installDependencies: false",
			"no firewall":              "firewall: {enabled: false}",
			"configuration of logs":    "fluentbit: {dynamicConfig: {keyPrefix: /logs, etcd: {endpoints: ['10.77.0.11:2379'], caCert: '${ca.certPem}', username: logs, password: hush-hush-l}}}",
			"another member":           "cluster: {initialMembers: [{name: one, ip: 10.77.0.11}, {name: two, ip: 10.77.0.12}]}",
			"release":                  "etcd: {version: 3.6.6}",
			"memory and a larger disk": "libvirt: {memory: 4096, dataVolume: {size: 21474836480}}",
		}},
		"EtcdServer with a drive of that name": {etcdServer, named, map[string]string{
			"another key with a drive of that name": another,
			"DNS servers with a drive of that name": network("dnsServers: [10.77.0.53]"),
		}},
		"PostgresLoadBalancer": {postgresLoadBalancer, "{}", map[string]string{
			"virtual IP": "virtualIp: {address: 10.77.0.50, unicastPeers: [10.77.0.42]}",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: c.role.program(t, c.before)})
			s.Up()
			for what, to := range c.changes {
				s.Program(c.role.program(t, c.before, to))
				preview := s.Preview
				if strings.HasSuffix(what, "refused") {
					preview = s.PreviewFails
				}
				p := preview()
				previews.Reads(t, c.role.file(what), "10.77.0", p)
				hides(t, p)
			}
		})
	}
}

// TestPreviewOfADataVolumeReplaced has a server outside of a cluster warn that --replace of its data volume costs
// the data.
func TestPreviewOfADataVolumeReplaced(t *testing.T) {
	t.Parallel()
	const disk = "libvirt: {dataVolume: {pool: default, size: 17179869184}}"
	for _, r := range []role{etcdServer, postgresServer} {
		t.Run(r.kind, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: r.program(t, disk)})
			s.Up()
			previews.Reads(t, r.file("replace data"), "10.77.0", s.Preview("--replace", "**::one-data-volume"))
			previews.Reads(t, r.file("replace domain"), "10.77.0", s.Preview("--replace", "**::one-domain"))
			previews.Reads(t, r.file("replace drive"), "10.77.0", s.Preview("--replace", "**::one-cloud-init"))
		})
	}
}

// TestPreviewsOfAllReplaced has a server whose parts --replace names all not be called new, and warn of its data.
func TestPreviewsOfAllReplaced(t *testing.T) {
	t.Parallel()
	const disk = "libvirt: {dataVolume: {pool: default, size: 17179869184}}"
	for _, c := range []struct {
		role
		inputs string
	}{{etcdServer, disk}, {postgresServer, disk}, {corednsServer, "{}"}, {postgresLoadBalancer, "{}"}} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			s := engine.New(t, engine.Options{Program: c.program(t, c.inputs)})
			s.Up()
			preview := s.Preview("--replace", "**::one**")
			previews.Reads(t, c.file("replace all"), "10.77.0", preview)
			hides(t, preview)
		})
	}
}
