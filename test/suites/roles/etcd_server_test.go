package roles

var etcdServer = role{
	kind: "EtcdServer",
	inputs: `
cluster: {initialMembers: [{name: one, ip: 10.77.0.11}]}
ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
`,
	bad: "{auth: {bootstrap: true, rootPassword: " + hush + "}, libvirt: {memory: 1}}",
	reasons: []string{
		"libvirt.memory: must be from 256 to 16777216 (16 TiB), in MiB, not 1 MiB: GiB was meant? 1 GiB are 1024",
		"auth.rootPassword: must not be given with clientCertAuth",
	},
	changes: []change{
		{"organization of the certificate", "certificate: {organization: Example}", resigned, "live: the file /etc/etcd/tls/server.crt"},
		{"etcd's settings", "etcd: {spaceQuota: 1073741824}", live, "restart: etcd.service"},
		{"clock", "chrony: {pools: [{url: pool.example.org}]}", live, "restart: chrony.service"},
		{"trust in another authority", "trustedCaCerts: [" + pem("other.crt") + "]", live, "restart: etcd.service"},
		{"another authority signs", "{ca: {cert: " + pem("other.crt") + ", key: {fn::secret: " + pem("other.key") + "}}, trustedCaCerts: ['${ca.certPem}']}", renewed, "live: the file /etc/etcd/tls/server.crt"},
		{"trust in one authority alone", "trustedCaCerts: null", live, "restart: etcd.service"},
		{"authentication", "auth: {bootstrap: true}", live, "live: the running cluster takes its authentication"},
		{"proxy", "aptProxy: http://10.77.0.1:3142", live, "live: missing packages are installed"},
		{"user", "sshAdminUser: other", rebuiltEmpty, "rebuild: a fresh machine"},
		{"console password", "adminUserPassword: " + hush, rebuiltEmpty, "rebuild: a fresh machine"},
		{"memory and processors", "libvirt: {memory: 4096, vcpus: 4}", restart, powerOff},
		{"network", "libvirt: {networks: [{networkName: other, ip: 10.77.0.11, prefixLength: 24}]}", restart, powerOff},
		{"data volume", "libvirt: {dataVolume: {pool: default, size: 4294967296}}", addedEmpty, powerOff},
		{"another key", another, handed, "live: who logs in over SSH, by which key"},
		{"DNS servers", "libvirt: {networks: [{networkName: other, ip: 10.77.0.11, prefixLength: 24, dnsServers: [10.77.0.53]}]}", handed, "live: which DNS servers it asks"},
		{"drive's name", "libvirt: {cloudInitVolumeName: mine.iso}", "delete MachineIdentity, " + rebuild, "rebuild: a fresh machine"},
		{"etcd's settings with a drive of that name", "etcd: {spaceQuota: 2147483648}", rebuild, "rebuild: a fresh machine, as with any change of its configuration"},
		{"drive without a name", "libvirt: {cloudInitVolumeName: null}", "create MachineIdentity, " + rebuild, "rebuild: a fresh machine"},
	},
	renewal: renewed,
}
