package roles

var postgresLoadBalancer = role{
	kind: "PostgresLoadBalancer",
	inputs: `
haproxy: {servers: [10.77.0.31, 10.77.0.32]}
tls: {caCert: ` + pem("ca.crt") + ", clientCert: " + pem("server.crt") + ", clientKey: " + pem("server.key") + "}",
	bad: `{haproxy: {domain: pg.example.org, timeouts: {idle: "1"}}, tls: {clientKey: ` + pem("ca.key") + "}}",
	reasons: []string{
		"haproxy.domain: must not be given together with servers",
		"haproxy.timeouts.idle: must be a whole number with its unit",
		"tls.clientKey: must be the key of the certificate",
	},
	changes: []change{
		{"nodes", "haproxy: {servers: [10.77.0.31, 10.77.0.32, 10.77.0.33]}", live, "live: haproxy.service reloads"},
		{"timeouts", "haproxy: {timeouts: {idle: 1h}}", live, "live: haproxy.service reloads"},
		{"nodes by their domain", "haproxy: {servers: null, domain: pg.example.org, nameserverIps: [10.77.0.21], postgresNodesMaxCount: 3}", live, "live: haproxy.service reloads"},
		{"registry", "containerRegistry: {url: https://registry.example.org, username: me, password: hush-hush-r}", live, "restart: haproxy.service"},
		{"certificate of an authority", `{tls: null, ca: {cert: "${ca.certPem}", key: "${caKey.privateKeyPem}"}}`, signed, "live: haproxy.service reloads"},
		{"organization of the certificate", "certificate: {organization: Example}", resigned, "live: haproxy.service reloads"},
		{"memory", "libvirt: {memory: 4096}", restart, powerOff},
		{"user", "sshAdminUser: other", rebuild, "rebuild: a fresh machine"},
	},
	renewal: renewed,
}
