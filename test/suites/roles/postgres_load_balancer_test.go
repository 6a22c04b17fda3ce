package roles

var postgresLoadBalancer = role{
	kind: "PostgresLoadBalancer",
	inputs: `
haproxy: {servers: [10.77.0.31, 10.77.0.32]}
caCert: ` + pem("ca.crt"),
	bad: `{haproxy: {domain: pg.example.org, timeouts: {idle: "1"}}, caCert: ` + pem("server.crt") + "}",
	reasons: []string{
		"haproxy.domain: must not be given together with servers",
		"haproxy.timeouts.idle: must be a whole number with its unit",
		"caCert: must be the certificate of a CA",
	},
	changes: []change{
		{"nodes", "haproxy: {servers: [10.77.0.31, 10.77.0.32, 10.77.0.33]}", live, "live: haproxy.service reloads"},
		{"timeouts", "haproxy: {timeouts: {idle: 1h}}", live, "live: haproxy.service reloads"},
		{"nodes by their domain", "haproxy: {servers: null, domain: pg.example.org, nameserverIps: [10.77.0.21], postgresNodesMaxCount: 3}", live, "live: haproxy.service reloads"},
		{"registry", "containerRegistry: {url: https://registry.example.org, username: me, password: hush-hush-r}", live, "restart: haproxy.service"},
		{"authority", `caCert: "${ca.certPem}"`, live, "live: haproxy.service reloads"},
		{"memory", "libvirt: {memory: 4096}", restart, powerOff},
		{"user", "sshAdminUser: other", renamed, "rebuild: a fresh machine"},
	},
}
