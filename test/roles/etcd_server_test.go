package roles

var etcdServer = role{
	kind: "EtcdServer",
	inputs: `
cluster: {initialMembers: [{name: one, ip: 10.77.0.11}]}
ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
`,
	bad: "{auth: {bootstrap: true, rootPassword: " + hush + "}, libvirt: {memory: 1}}",
	reasons: []string{
		"libvirt.memory: must be 256 (MiB) or more, not 1",
		"auth.rootPassword: must not be given with clientCertAuth",
	},
	changes: []change{
		{"etcd's settings", "etcd: {spaceQuota: 1073741824}", live},
		{"clock", "chrony: {pools: [{url: pool.example.org}]}", live},
		{"authentication", "auth: {bootstrap: true}", live},
		{"proxy", "aptProxy: http://10.77.0.1:3142", live},
		{"user", "sshAdminUser: other", rebuild},
		{"console password", "adminUserPassword: " + hush, rebuild},
		{"memory and processors", "libvirt: {memory: 4096, vcpus: 4}", restart},
		{"network", "libvirt: {networks: [{networkName: other, ip: 10.77.0.11, prefixLength: 24}]}", restart},
		{"data volume", "libvirt: {dataVolume: {pool: default, size: 1073741824}}", "create Volume, replace CloudInitDisk, replace Domain"},
		{"drive's name", "libvirt: {cloudInitVolumeName: mine.iso}", rebuild},
		{"etcd's settings with a drive of that name", "etcd: {spaceQuota: 2147483648}", rebuild},
		{"drive without a name", "libvirt: {cloudInitVolumeName: null}", rebuild},
	},
	renewal: renewed,
}
