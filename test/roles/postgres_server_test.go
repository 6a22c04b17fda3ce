package roles

var postgresServer = role{
	kind: "PostgresServer",
	inputs: `
postgres: {superuserPassword: hush-hush-s, replicatorPassword: hush-hush-r, params: {work_mem: 8MB}}
patroni: {scope: main}
etcd: {endpoints: ["10.77.0.21:2379"], caCert: "${ca.certPem}", username: patroni, password: hush-hush-e}
ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}
`,
	bad: `{patroni: {ttl: 19}, postgres: {superuserPassword: "hush-hush\n", params: {port: 5433}}, etcd: {endpoints: ["https://10.77.0.21:2379"]}}`,
	reasons: []string{
		"patroni.ttl: must be 20 (seconds) or more, not 19",
		"postgres.superuserPassword: must be one line, and not empty",
		"postgres.params.port: must not be given: Patroni sets it",
		`etcd.endpoints[0]: must be an IP address and a port, as in 10.0.0.1:2379, not "https://10.77.0.21:2379"`,
	},
	changes: []change{
		{"parameters", "postgres: {params: {work_mem: 16MB}}", live},
		{"times and replication", "patroni: {ttl: 60, isSynchronous: false}", live},
		{"password", "postgres: {superuserPassword: hush-hush-new}", live},
		{"etcd", `etcd: {endpoints: ["10.77.0.22:2379"], password: hush-hush-new}`, live},
		{"version", `postgres: {version: "17"}`, live},
		{"names of the certificate", "certificate: {domains: [pg.example.org]}", resigned},
		{"memory", "libvirt: {memory: 4096}", restart},
		{"data volume", "libvirt: {dataVolume: {pool: default, size: 1073741824}}", "create Volume, replace CloudInitDisk, replace Domain"},
		{"user", "sshAdminUser: other", rebuild},
	},
	renewal: renewed,
}
