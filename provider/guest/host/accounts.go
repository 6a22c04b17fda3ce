package host

import "slices"

// systemAccounts are the users and groups that Debian and Ubuntu have of their
// own (package base-passwd, systemd, and others of a cloud image). A user with
// such a name is not made, and nobody could log in.
var systemAccounts = []string{
	"_apt", "adm", "audio", "avahi", "backup", "bin", "cdrom", "crontab", "daemon", "dialout", "dip", "disk", "fax", "floppy",
	"games", "gnats", "input", "irc", "kmem", "kvm", "list", "lp", "lxd", "mail", "man", "messagebus", "netdev", "news",
	"nobody", "nogroup", "operator", "plugdev", "proxy", "render", "root", "rdma", "sasl", "sgx", "shadow", "src", "ssh",
	"sshd", "staff", "sudo", "sync", "sys", "syslog", "systemd-network", "systemd-resolve", "tape", "tty", "users", "utmp",
	"uucp", "uuidd", "video", "voice", "www-data",
}

// serviceUsers are those that services run as, of this package or of the distribution's.
var serviceUsers = []string{
	"chrony", "coredns", "coredns-updater", "etcd", "fluent-bit", "fluent-bit-config", "haproxy", "keepalived", "patroni", "postgres", "prometheus", "quorum_pooler", "ssl-cert",
}

// IsServiceUser says whether a service runs as a user of that name.
func IsServiceUser(name string) bool { return slices.Contains(serviceUsers, name) }

// IsSystemAccount says whether the distribution has a user or group of that name.
func IsSystemAccount(name string) bool { return slices.Contains(systemAccounts, name) }
