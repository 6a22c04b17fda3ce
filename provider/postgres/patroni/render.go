package patroni

import (
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ports"
)

// DataVolume is where the data volume is mounted, if there is one: the home of
// the user postgres.
const DataVolume = "/var/lib/postgresql"

const (
	dataDir      = DataVolume + "/data" // below the mount, whose lost+found initdb would not take
	passFile     = DataVolume + "/pgpass"
	directory    = "/etc/patroni"
	confFile     = directory + "/conf.yml"
	programConf  = directory + "/quorum.json"
	tlsDirectory = directory + "/tls"
	caFile       = tlsDirectory + "/ca.crt"
	serverCert   = tlsDirectory + "/server.crt"
	serverKey    = tlsDirectory + "/server.key"
	clientCert   = tlsDirectory + "/client.crt"
	clientKey    = tlsDirectory + "/client.key"
	etcdCA       = tlsDirectory + "/etcd-ca.crt"
	etcdCert     = tlsDirectory + "/etcd-client.crt"
	etcdKey      = tlsDirectory + "/etcd-client.key"
)

// Identity are the files by which a node verifies servers of its authority, or of those that it trusts, and logs in to them.
func Identity() (ca, cert, key string) { return caFile, clientCert, clientKey }

func (c Config) conf() (string, error) {
	ip := c.IPs[0]
	f := conf{
		Scope:     c.Patroni.Scope,
		Namespace: *c.Patroni.Namespace,
		Name:      c.node(),
		RestAPI:   c.restAPI(),
		Ctl:       ctl{CertFile: clientCert, KeyFile: clientKey, CACert: caFile},
		Etcd3:     c.etcd3(),
		Bootstrap: bootstrap{
			DCS: c.dynamic(), InitDB: []any{map[string]string{"encoding": "UTF8"}, "data-checksums", map[string]string{"locale": "C"}}, PgHBA: c.pgHBA(),
		},
		Postgresql: postgresql{
			Listen:            bracket(ip) + "," + ports.At("127.0.0.1", ports.Postgres),
			ConnectAddress:    ports.At(ip, ports.Postgres),
			DataDir:           dataDir,
			PgPass:            passFile,
			UseUnixSocket:     true,
			UseUnixSocketRepl: true,
			Parameters:        parameters{SSL: "on", SSLCertFile: serverCert, SSLKeyFile: serverKey, SSLCAFile: caFile, SharedPreloadLibraries: c.preloaded()},
			Authentication:    c.logins(),
		},
		Watchdog: watchdog{string(*c.Patroni.WatchdogMode), watchdogDevice, *c.Patroni.WatchdogSafetyMargin},
		Tags:     tags{ClientCert: true},
	}
	c.addBackups(&f)
	c.join(&f)
	b, err := yaml.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("marshal %s: %w", confFile, err)
	}
	return string(b), nil
}

// addBackups has PostgreSQL archive its WAL and standbys get it there, and Patroni make standbys, or
// found the cluster, from a backup.
func (c Config) addBackups(f *conf) {
	if c.Restore != nil {
		f.Bootstrap.Method, f.Bootstrap.Restore = "quorum_restore", &command{Command: c.backups().FoundCommand(), NoParams: true}
	}
	p := &f.Postgresql
	if c.follows() != nil {
		p.Copy = &command{Command: c.backups().FoundCommand(), KeepData: true, NoParams: true, NoLeader: true}
	}
	if c.Backup == nil {
		return
	}
	p.Parameters.ArchiveMode, p.Parameters.ArchiveCommand = "on", c.backups().ArchiveCommand()
	p.Parameters.ArchiveTimeout = fmt.Sprint(*c.Backup.ArchiveTimeout)
	p.RecoveryConf = map[string]string{"restore_command": c.backups().RestoreCommand()}
	p.CreateReplicaMethods = []string{"quorum_standby", "basebackup"}
	p.Standby = &command{Command: c.backups().StandbyCommand(), KeepData: true, NoParams: true}
}

// restAPI has Patroni take orders only with a certificate of its authority. To read, and so
// to ask for its health, nobody needs one.
func (c Config) restAPI() restAPI {
	at := ports.At(c.IPs[0], ports.Patroni)
	return restAPI{
		Listen: at, ConnectAddress: at, CertFile: serverCert, KeyFile: serverKey, CAFile: caFile, VerifyClient: "optional",
		Allowlist: c.Patroni.Allowlist, AllowlistIncludeMembers: len(c.Patroni.Allowlist) > 0,
	}
}

func (c Config) etcd3() etcd3 {
	e := etcd3{Hosts: c.Etcd.Endpoints, Protocol: "https", CACert: etcdCA}
	if c.Etcd.ClientCert != nil {
		e.Cert, e.Key = etcdCert, etcdKey
	}
	if c.Etcd.Username != nil {
		e.Username, e.Password = text(*c.Etcd.Username), text(*c.Etcd.Password)
	}
	return e
}

// passwords are those of the users that Patroni logs in as.
func (c Config) passwords() map[string]string {
	users := map[string]string{superuser: c.Postgres.SuperuserPassword, replicator: c.Postgres.ReplicatorPassword}
	if c.Postgres.RewindPassword != nil {
		users[rewinder] = *c.Postgres.RewindPassword
	}
	return users
}

// logins are as whom Patroni logs in, and for what.
func (c Config) logins() map[string]login {
	as := func(user, password string) login {
		return login{user, text(password), "verify-full", caFile, clientCert, clientKey}
	}
	super := as(superuser, c.Postgres.SuperuserPassword)
	all := map[string]login{"superuser": super, "replication": as(replicator, c.Postgres.ReplicatorPassword), "rewind": super}
	if c.Postgres.RewindPassword != nil {
		all["rewind"] = as(rewinder, *c.Postgres.RewindPassword)
	}
	return all
}

func bracket(ip string) string {
	if strings.Contains(ip, ":") {
		return "[" + ip + "]"
	}
	return ip
}
