package roles

import "strings"

const backups = "{s3: {endpoint: 'https://s3.example.org', bucket: backups, accessKey: hush-hush-a, secretKey: hush-hush-k}, encryptionKey: hush-hush-hush-hush-e, stanza: main}"

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
		{"extensions", `postgres: {extensions: [pg_trgm, pg_stat_statements]}`, live, "live: patroni.service reloads"},
		{"version", `postgres: {version: "17"}`, live, "restart: patroni.service"},
		{"names of the certificate", "certificate: {domains: [pg.example.org]}", resigned, "live: patroni.service reloads"},
		{"access", "postgres: {access: [{users: [shop], networks: [10.0.0.0/8]}]}", live, "live: the running cluster takes its settings and passwords"},
		{"trust in another authority", "trustedCaCerts: [" + pem("other.crt") + "]", live, "restart: patroni.service"},
		{"another authority signs", "{ca: {cert: " + pem("other.crt") + ", key: {fn::secret: " + pem("other.key") + "}}, trustedCaCerts: ['${ca.certPem}']}", renewed, "live: patroni.service reloads"},
		{"trust in one authority alone", "trustedCaCerts: null", live, "restart: patroni.service"},
		{"backups and a restore", "{backup: " + backups + ", restore: " + strings.Replace(backups, "bucket: backups", "bucket: others", 1) + "}", live, "restart: patroni.service"},
		{"restore taken out", "restore: null", live, "live: backups follow their new settings"},
		{"keys of backups", "backup: {s3: {accessKey: hush-hush-new}}", live, "live: backups follow their new settings"},
		{"another key of backups", "backup: {encryptionKey: hush-hush-hush-hush-f}", live, "live: backups follow their new settings"},
		{"backups taken out", "backup: null", live, "restart: patroni.service"},
		{"memory", "libvirt: {memory: 4096}", restart, powerOff},
		{"data volume", "libvirt: {dataVolume: {pool: default, size: 1073741824}}", addedEmpty, powerOff},
		{"user", "sshAdminUser: other", renamed, "rebuild: a fresh machine"},
	},
	renewal: renewed,
}
