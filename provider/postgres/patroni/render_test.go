package patroni_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/postgres/patroni"
)

func to[T any](v T) *T { return &v }

func node(ip string) patroni.Config {
	return patroni.Config{
		Name: "postgres-1", IPs: []string{ip, "10.78.0.11"},
		Postgres: patroni.Postgres{ReplicatorPassword: "replicator's", SuperuserPassword: "superuser's"},
		Patroni: patroni.Settings{
			Scope: "main", Namespace: to("/service/"), TTL: to(30), LoopWait: to(10), RetryTimeout: to(10),
			PrimaryStartTimeout: to(300), PrimaryStopTimeout: to(0), WatchdogMode: to(patroni.Required),
			WatchdogSafetyMargin: to(-1), UsePgRewind: to(true), IsSynchronous: to(true),
		},
		Etcd: host.EtcdConnection{Endpoints: []string{"10.77.0.21:2379"}, CACert: "etcd's", Username: to("patroni"), Password: to("etcd's")},
		TLS:  patroni.TLS{CACert: "CA's", ServerCert: "server's", ServerKey: "key of server", ClientCert: "client's", ClientKey: "key of client"},
	}
}

func filesOf(t testing.TB, c patroni.Config) map[string]guest.File {
	t.Helper()
	s, err := c.State()
	require.NoError(t, err)
	files := map[string]guest.File{}
	for _, f := range s.Files {
		files[f.Path] = f
	}
	return files
}

// section reads a part of Patroni's configuration.
func section(t testing.TB, c patroni.Config, steps ...string) any {
	t.Helper()
	var conf any
	require.NoError(t, yaml.Unmarshal([]byte(filesOf(t, c)["/etc/patroni/conf.yml"].Content), &conf))
	for _, step := range steps {
		conf = conf.(map[string]any)[step]
	}
	return conf
}

// TestClientCertificate requires what Patroni presents to be where it looks for
// it, the certificate and its key each in its own file.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	files := filesOf(t, node("10.77.0.11"))
	for part, want := range map[string][2]string{"restapi": {"server's", "key of server"}, "ctl": {"client's", "key of client"}} {
		s := section(t, node("10.77.0.11"), part).(map[string]any)
		cert, key := files[s["certfile"].(string)], files[s["keyfile"].(string)]
		require.Equal(t, want, [2]string{cert.Content, key.Content})
		require.Equal(t, "postgres 0600", key.Owner+" "+key.Mode)
	}
	require.Equal(t, "optional", section(t, node("10.77.0.11"), "restapi", "verify_client"))
}

// TestSecrets requires them in files that only postgres reads.
func TestSecrets(t *testing.T) {
	t.Parallel()
	held := 0
	for path, f := range filesOf(t, node("10.77.0.11")) {
		for _, secret := range []string{"replicator's", "superuser's", "etcd's", "key of server", "key of client"} {
			if strings.Contains(f.Content, secret) && path != "/etc/patroni/tls/etcd-ca.crt" {
				held++
				require.Equal(t, "postgres postgres 0600", f.Owner+" "+f.Group+" "+f.Mode, path)
			}
		}
	}
	require.Equal(t, 7, held)
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for ip, want := range map[string][3]string{
		"10.77.0.11":   {"10.77.0.11,127.0.0.1:5432", "10.77.0.11:5432", "10.77.0.11:4443"},
		"2001:db8::11": {"[2001:db8::11],127.0.0.1:5432", "[2001:db8::11]:5432", "[2001:db8::11]:4443"},
	} {
		require.Equal(t, want[0], section(t, node(ip), "postgresql", "listen"))
		require.Equal(t, want[1], section(t, node(ip), "postgresql", "connect_address"))
		require.Equal(t, want[2], section(t, node(ip), "restapi", "listen"))
	}
}

// TestSettings requires a running cluster to lose the settings of the other kind
// of replication, and a new one not to have them.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, synchronous := range []bool{true, false} {
		c := node("10.77.0.11")
		c.Patroni.IsSynchronous = &synchronous
		var own struct{ Settings map[string]any }
		require.NoError(t, json.Unmarshal([]byte(filesOf(t, c)["/etc/patroni/quorum.json"].Content), &own))
		first := section(t, c, "bootstrap", "dcs").(map[string]any)
		for _, name := range []string{"synchronous_mode_strict", "synchronous_node_count", "check_timeline", "maximum_lag_on_failover"} {
			has := strings.HasPrefix(name, "synchronous") == synchronous
			require.Contains(t, own.Settings, name)
			require.Equal(t, has, own.Settings[name] != nil, name)
			require.Equal(t, has, first[name] != nil, name)
		}
	}
}

// TestRestart requires Patroni, and PostgreSQL with it, restarted only for what
// Patroni reads when it starts.
func TestRestart(t *testing.T) {
	t.Parallel()
	key := func(change func(*patroni.Config)) string {
		c := node("10.77.0.11")
		change(&c)
		s, err := c.State()
		require.NoError(t, err)
		return s.Services[len(s.Services)-1].RestartKey
	}
	before := key(func(*patroni.Config) {})
	for name, change := range map[string]func(*patroni.Config){
		"parameters": func(c *patroni.Config) { c.Postgres.Params = map[string]string{"work_mem": "8MB"} },
		"passwords":  func(c *patroni.Config) { c.Postgres.SuperuserPassword, c.Etcd.Password = "new", to("new") },
		"times":      func(c *patroni.Config) { c.Patroni.TTL = to(60) },
		"watchdog":   func(c *patroni.Config) { c.Patroni.WatchdogMode = to(patroni.Automatic) },
	} {
		require.Equal(t, before, key(change), name)
	}
	for name, change := range map[string]func(*patroni.Config){
		"endpoints": func(c *patroni.Config) { c.Etcd.Endpoints = []string{"10.77.0.22:2379"} },
		"name":      func(c *patroni.Config) { c.Patroni.Name = to("other") },
		"version":   func(c *patroni.Config) { c.Postgres.Version = to("17") },
	} {
		require.NotEqual(t, before, key(change), name)
	}
}

// TestQuotes requires words quoted that YAML 1.1, which Patroni reads, takes for
// something else than YAML 1.2.
func TestQuotes(t *testing.T) {
	t.Parallel()
	c := node("10.77.0.11")
	c.Postgres.SuperuserPassword, c.Postgres.Params = "=", map[string]string{"search_path": "="}
	conf := filesOf(t, c)["/etc/patroni/conf.yml"].Content
	require.Contains(t, conf, `password: "="`)
	require.Contains(t, conf, `search_path: "="`)
}

// FuzzConf requires any password and parameter to come through as it was given.
func FuzzConf(f *testing.F) {
	for _, s := range []string{"", "on", "1_000", "0x1f", "12:30:45", "a: b # c", "'\"", "\t", "é😀", "- x", "=", "2026-01-01", "!secret", "%", "@"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\r\n") {
			t.Skip("refused")
		}
		c := node("10.77.0.11")
		c.Postgres.SuperuserPassword, c.Postgres.Params = s, map[string]string{"search_path": s}
		require.Equal(t, s, section(t, c, "postgresql", "authentication", "superuser", "password"))
		require.Equal(t, s, section(t, c, "bootstrap", "dcs", "postgresql", "parameters", "search_path"))
	})
}
