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
		"patroni.ttl: must be from 20 to 3600 (an hour), in seconds, not 19",
		"postgres.superuserPassword: must be one line, and not empty",
		"postgres.params.port: must not be given: Patroni sets it",
		`etcd.endpoints[0]: must be an IP address and a port, as in 10.0.0.1:2379, not "https://10.77.0.21:2379"`,
	},
	changes: []change{
		{"parameters", "postgres: {params: {work_mem: 16MB}}", live, "live: the running cluster takes its settings and passwords"},
		{"times and replication", "patroni: {ttl: 60, isSynchronous: false}", live, "live: the running cluster takes its settings and passwords"},
		{"password", "postgres: {superuserPassword: hush-hush-new}", live, "live: patroni.service reloads"},
		{"etcd", `etcd: {endpoints: ["10.77.0.22:2379"], password: hush-hush-new}`, live, "restart: patroni.service"},
		{"version", `postgres: {version: "17"}`, live, "restart: patroni.service"},
		{"names of the certificate", "certificate: {domains: [pg.example.org]}", resigned, "live: patroni.service reloads"},
		{"memory", "libvirt: {memory: 4096}", restart, powerOff},
		{"data volume", "libvirt: {dataVolume: {pool: default, size: 1073741824}}", addedEmpty, powerOff},
		{"user", "sshAdminUser: other", rebuild, "rebuild: a fresh machine"},
	},
	renewal: renewed,
}
