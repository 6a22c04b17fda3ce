package roles

var corednsServer = role{
	kind: "CorednsServer",
	inputs: `
etcd: {endpoints: ["10.77.0.21:2379"], caCert: "${ca.certPem}", username: dns, password: hush-hush-e}
keyPrefix: /zones/
`,
	bad: `{keyPrefix: zones/, dns: {zonefilesReloadInterval: "3"}, etcd: {password: "hush-hush\n", endpoints: [10.77.0.21]}}`,
	reasons: []string{
		`keyPrefix: must begin with a slash, as in /zones/, and have no white space and no empty parts, not "zones/"`,
		`dns.zonefilesReloadInterval: must be a duration from 1s to 24h, such as "3s" or "1m", not "3"`,
		"etcd.password: must be one line, and not empty",
		`etcd.endpoints[0]: must be an IP address and a port, as in 10.0.0.1:2379, not "10.77.0.21"`,
	},
	changes: []change{
		{"reload interval and forwards", "dns: {zonefilesReloadInterval: 10s, forwards: [{domainName: example.net, dnsServers: [192.0.2.53]}]}", live, "restart: coredns.service"},
		{"release", "dns: {version: 1.12.4}", live, "restart: coredns.service"},
		{"zones", "keyPrefix: /others/", live, "restart: coredns-updater.service"},
		{"password", "etcd: {password: hush-hush-new}", live, "restart: coredns-updater.service"},
		{"certificate instead", "etcd: {username: null, password: null, clientCert: " + pem("server.crt") + ", clientKey: " + pem("server.key") + "}", live, "restart: coredns-updater.service"},
		{"logs", "fluentbit: {forward: {domain: logs.example.org, port: 24224, sharedKey: hush-hush-f, caCert: " + pem("ca.crt") + "}}", live, "restart: fluent-bit.service"},
		{"memory", "libvirt: {memory: 4096}", restart, powerOff},
		{"user", "sshAdminUser: other", renamed, "rebuild: a fresh machine"},
	},
}
