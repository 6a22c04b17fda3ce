package clusters

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// secretProgram has a value for each secret, by the place of it and a suffix, and the key of an authority.
type secretProgram struct {
	t         *testing.T
	suffix    string
	authority string
}

func pki(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "provider", "testdata", "pki", name))
	require.NoError(t, err)
	return string(text)
}

// keys are the lines of the keys that the program has.
func (p secretProgram) keys() (lines []string) {
	for _, name := range []string{"server.key", "ca.key", "other.key"} {
		for line := range strings.Lines(pki(p.t, name)) {
			if line = strings.TrimSpace(line); len(line) > 40 {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// fill has $S be another secret each time, and $Key and the like what lies in the files.
func (p secretProgram) fill(text string) string {
	text = strings.ReplaceAll(text, "$SSH", engine.SSHKey)
	for i := 0; strings.Contains(text, "$S"); i++ {
		text = strings.Replace(text, "$S", fmt.Sprintf("hush-hush-%d%s", i, p.suffix), 1)
	}
	files := map[string]string{"$AuthorityKey": p.authority + ".key", "$Authority": p.authority + ".crt", "$Key": "server.key", "$Cert": "server.crt", "$CA": "ca.crt"}
	for _, name := range []string{"$AuthorityKey", "$Authority", "$Key", "$Cert", "$CA"} {
		text = strings.ReplaceAll(text, name, fmt.Sprintf("%q", pki(p.t, files[name])))
	}
	return text
}

// machine is one with an address of its own, unless its certificate names one.
func machineAt(name, ip string) string {
	return fmt.Sprintf("{name: %s, %s}", name, libvirtAt(ip, true))
}

func libvirtAt(ip string, data bool) string {
	volume := ""
	if data {
		volume = "dataVolume: {pool: default, size: 10737418240}, "
	}
	return fmt.Sprintf("libvirt: {volume: {pool: default, baseVolumeName: debian-13.qcow2}, %scloudInitVolumePool: default, networks: [{networkName: default, ip: %s, prefixLength: 24}]}", volume, ip)
}

// resources are one or two of each kind: its name, what is before, and what comes. Those that ask a service come as a
// whole; TestSecretsOfPreviews changes secrets of a PostgresCluster.
func (p secretProgram) resources() []struct{ name, kind, before, comes string } {
	const (
		byPassword = "endpoints: ['10.77.0.21:2379'], caCert: $CA, username: patroni, password: $S"
		byKey      = "endpoints: ['10.77.0.21:2379'], caCert: $CA, clientCert: $Cert, clientKey: $Key"
		s3         = "s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: $S, secretKey: $S}"
		backups    = "backup: {" + s3 + ", encryptionKey: $S}, restore: {" + s3 + ", encryptionKey: $S"
		admin      = "adminUserPassword: $S, " // makes a machine anew
		logs       = admin + "fluentbit: {forward: {domain: logs.example.org, port: 24224, caCert: $CA, sharedKey: $S}, dynamicConfig: {keyPrefix: /logs, etcd: {"
		ca         = "ca: {cert: $Authority, key: $AuthorityKey}"
		passwords  = "postgres: {superuserPassword: $S, replicatorPassword: $S, rewindPassword: $S}, patroni: {scope: main, isSynchronous: false}"
		tls        = "tls: {caCert: $CA, serverCert: $Cert, serverKey: $Key"
		registry   = "containerRegistry: {url: 'https://registry.example.org', username: someone, password: $S}"
		postgres   = "connection: {endpoints: ['10.77.0.41:5432'], caCert: $CA"
	)
	cluster := func(name, ip string) string {
		return "skipHealthChecks: true, " + name + ": [" + machineAt("m-"+ip[len(ip)-2:], ip) + "]"
	}
	postgresCluster := cluster("nodes", "10.77.0.61") + ", loadBalancers: [{name: b-62, " + libvirtAt("10.77.0.62", false) + "}], "
	other := strings.NewReplacer("10.77.0.61", "10.77.0.63", "10.77.0.62", "10.77.0.64", "m-61", "m-63", "b-62", "b-64").Replace(postgresCluster)
	etcdServer := "name: etcd-NAME, cluster: {initialMembers: [{name: etcd-NAME, ip: IP}]}, "
	etcdAt := func(name, ip string) string {
		return strings.NewReplacer("NAME", name, "IP", ip).Replace(etcdServer) + libvirtAt(ip, true) + ", "
	}
	return []struct{ name, kind, before, comes string }{
		{"etcd", "EtcdCluster", cluster("members", "10.77.0.51") + ", rootPassword: $S, etcd: {clientCertAuth: false, grpcGatewayEnabled: true}, " + ca, backups + "}, " + strings.TrimPrefix(logs, admin) + byPassword + "}}}"},
		{"etcd-by-key", "EtcdCluster", cluster("members", "10.77.0.52"), logs + byKey + "}}}"},
		{"postgres", "PostgresCluster", "", postgresCluster + passwords + ", etcd: {" + byPassword + "}, " + ca + ", " + backups + ", stanza: main-5f2c91aa}, " + registry + ", dns: {domain: one.example.org, nameservers: [ns1.example.net.], etcd: {" + byPassword + "}}, " + logs + byPassword + "}}}"},
		{"postgres-by-key", "PostgresCluster", "", other + passwords + ", etcd: {" + byPassword + "}, dns: {domain: two.example.org, nameservers: [ns1.example.net.], etcd: {" + byKey + "}}, " + logs + byKey + "}}}"},
		{"etcd-7", "EtcdServer", etcdAt("7", "10.77.0.71") + ca + ", etcd: {clientCertAuth: false}, auth: {bootstrap: true, rootPassword: $S}", logs + byPassword + "}}}"},
		{"etcd-1", "EtcdServer", "", etcdAt("1", "10.77.0.11") + tls + "}, " + logs + byKey + "}}}"},
		{"node-1", "PostgresServer", libvirtAt("10.77.0.72", true) + ", " + passwords + ", etcd: {" + byPassword + "}, " + ca, strings.Replace(backups, "encryptionKey", "stanza: other-1a2b3c4d, encryptionKey", 1) + ", stanza: main-5f2c91aa}, " + logs + byPassword + "}}}"},
		{"node-2", "PostgresServer", "", libvirtAt("10.77.0.11", true) + ", " + passwords + ", etcd: {" + byPassword + "}, " + tls + ", clientCert: $Cert, clientKey: $Key}, " + logs + byKey + "}}}"},
		{"lb-1", "PostgresLoadBalancer", libvirtAt("10.77.0.73", false) + ", haproxy: {servers: [10.77.0.72]}, caCert: $CA", registry + ", " + logs + byPassword + "}}}"},
		{"lb-2", "PostgresLoadBalancer", libvirtAt("10.77.0.74", false) + ", haproxy: {servers: [10.77.0.72]}, caCert: $CA", logs + byKey + "}}}"},
		{"dns-1", "CorednsServer", libvirtAt("10.77.0.75", false) + ", keyPrefix: /zones/, etcd: {" + byPassword + "}", logs + byPassword + "}}}"},
		{"dns-2", "CorednsServer", libvirtAt("10.77.0.76", false) + ", keyPrefix: /zones/, etcd: {" + byKey + "}", logs + byKey + "}}}"},
		{"zone", "DnsZone", "", "domain: example.org, nameservers: [ns1.example.net.], records: {}, etcd: {" + byPassword + "}"},
		{"zone-by-key", "DnsZone", "", "domain: example.com, nameservers: [ns1.example.net.], records: {}, etcd: {" + byKey + "}"},
		{"healthy", "EtcdHealth", "", "members: [{name: etcd-1, ip: 10.77.0.11}], etcd: {" + byPassword + "}"},
		{"healthy-by-key", "EtcdHealth", "", "members: [{name: etcd-1, ip: 10.77.0.11}], etcd: {" + byKey + "}"},
		{"place", "EtcdMember", "", "name: etcd-1, ip: 10.77.0.11, etcd: {" + byPassword + "}"},
		{"place-by-key", "EtcdMember", "", "name: etcd-2, ip: 10.77.0.12, etcd: {" + byKey + "}"},
		{"key", "EtcdKey", "", "key: /a, value: $S, etcd: {" + byPassword + "}"},
		{"key-by-key", "EtcdKey", "", "key: /b, value: $S, etcd: {" + byKey + "}"},
		{"role", "EtcdRole", "", "permissions: [], etcd: {" + byPassword + "}"},
		{"role-by-key", "EtcdRole", "", "permissions: [], etcd: {" + byKey + "}"},
		{"user", "EtcdUser", "", "password: $S, etcd: {" + byPassword + "}"},
		{"user-by-key", "EtcdUser", "", "password: $S, etcd: {" + byKey + "}"},
		{"shop", "PostgresDatabase", "", postgres + ", password: $S, clientCert: $Cert, clientKey: $Key}"},
		{"reader", "PostgresGrant", "", "database: shop, role: reader, access: read-only, " + postgres + ", password: $S, clientCert: $Cert, clientKey: $Key}"},
		{"app", "PostgresUser", "", "password: $S, " + postgres + ", password: $S, clientCert: $Cert, clientKey: $Key}"},
		{"led", "PostgresHealth", "", "nodes: [{name: postgres-1, ip: 10.77.0.31}], passwords: $S, caCert: $CA, clientCert: $Cert, clientKey: $Key"},
	}
}

func (p secretProgram) program(all bool) string {
	var b strings.Builder
	b.WriteString("resources:\n")
	for _, r := range p.resources() {
		properties := r.before
		if all {
			properties = strings.Trim(r.before+", "+r.comes, ", ")
			if strings.Contains(r.comes, "adminUserPassword") { // of members, not without checks
				properties = strings.ReplaceAll(properties, "skipHealthChecks: true, ", "")
			}
		}
		if properties == "" {
			continue
		}
		if strings.Contains(properties, "libvirt: ") {
			properties = "sshAdminPublicKey: \"$SSH\", " + properties
		}
		fmt.Fprintf(&b, "  %s:\n    type: quorum:%s\n    properties: {%s}\n", r.name, r.kind, properties)
	}
	return p.fill(b.String())
}

func (p secretProgram) before() string { return p.program(false) }
func (p secretProgram) text() string   { return p.program(true) }
