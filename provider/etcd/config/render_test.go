package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

func member(certAuth bool) config.Config {
	token, founding, gateway := "token", config.New, !certAuth
	settings := (*config.Settings)(nil).WithDefaults()
	settings.ClientCertAuth, settings.GRPCGatewayEnabled = &certAuth, &gateway
	return config.Config{
		Name: "etcd-1", IPs: []string{"10.77.0.11", "10.78.0.11"}, Etcd: settings,
		Cluster: config.Cluster{InitialToken: &token, InitialState: &founding, InitialMembers: []config.Member{
			{Name: "etcd-1", IP: "10.77.0.11"}, {Name: "etcd-2", IP: "2001:db8::12"},
		}},
	}
}

func fileOf(t *testing.T, s guest.State, path string) string {
	t.Helper()
	for _, f := range s.Files {
		if f.Path == path {
			return f.Content
		}
	}
	require.Failf(t, "no such file", path)
	return ""
}

// TestConf has etcd itself read the configuration.
func TestConf(t *testing.T) {
	t.Parallel()
	for name, certAuth := range map[string]bool{"certificates": true, "password": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := member(certAuth).State()
			require.NoError(t, err)
			file := filepath.Join(t.TempDir(), "conf.yml")
			require.NoError(t, os.WriteFile(file, []byte(fileOf(t, s, "/etc/etcd/conf.yml")), 0o600))
			got, err := embed.ConfigFromFile(file)
			require.NoError(t, err)
			require.Equal(t, "etcd-1", got.Name)
			require.Equal(t, "/var/lib/etcd/data", got.Dir)
			require.EqualValues(t, 8<<30, got.QuotaBackendBytes)
			require.Equal(t, "revision", got.AutoCompactionMode)
			require.Equal(t, "1000", got.AutoCompactionRetention)
			require.Equal(t, "etcd-1=https://10.77.0.11:2380,etcd-2=https://[2001:db8::12]:2380", got.InitialCluster)
			require.Equal(t, "token", got.InitialClusterToken)
			require.True(t, got.PeerTLSInfo.ClientCertAuth)
			require.Equal(t, []string{"127.0.0.1"}, got.PeerTLSInfo.AllowedHostnames)
			require.Empty(t, got.ClientTLSInfo.AllowedHostnames)
			require.Equal(t, certAuth, got.ClientTLSInfo.ClientCertAuth)
			require.True(t, got.ExperimentalInitialCorruptCheck)
			require.True(t, got.ExperimentalCompactHashCheckEnabled)
			require.Equal(t, 12*time.Hour, got.ExperimentalCorruptCheckTime)
			require.Equal(t, !certAuth, got.EnableGRPCGateway)
			require.Equal(t, "https://127.0.0.1:2379", got.ListenClientUrls[1].String())
		})
	}
}

// TestComparesCompacted leaves out what raises a false alarm in the release.
func TestComparesCompacted(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"3.5.9": "false", "3.5.10": "true", "3.6.11": "true"} {
		c := member(true)
		c.Etcd.Version = &version
		s, err := c.State()
		require.NoError(t, err)
		require.Contains(t, fileOf(t, s, "/etc/etcd/conf.yml"), "experimental-compact-hash-check-enabled: "+want, version)
	}
}

// TestRestart requires a restart for etcd's own settings, and none for what etcd
// does not read again.
func TestRestart(t *testing.T) {
	t.Parallel()
	key := func(change func(*config.Config)) string {
		c := member(true)
		change(&c)
		s, err := c.State()
		require.NoError(t, err)
		require.NotContains(t, s.Services[0].RestartOn, "/etc/etcd/tls/server.crt", "etcd reads its certificate for each connection")
		return s.Services[0].RestartKey
	}
	same := key(func(*config.Config) {})
	quota, version := 1<<30, "3.5.21"
	require.Equal(t, same, key(func(c *config.Config) {
		c.Cluster.InitialMembers = append(c.Cluster.InitialMembers, config.Member{Name: "etcd-3", IP: "10.77.0.13"})
	}))
	require.Equal(t, same, key(func(c *config.Config) { c.TLS.ServerCert = "another" }))
	require.NotEqual(t, same, key(func(c *config.Config) { c.Etcd.SpaceQuota = &quota }))
	require.NotEqual(t, same, key(func(c *config.Config) { c.Etcd.Version = &version }))
}

// TestPassword requires the password in one file, for root alone.
func TestPassword(t *testing.T) {
	t.Parallel()
	c := member(false)
	on, password := true, `pa$$"w'ord`
	c.Auth = config.Auth{Bootstrap: &on, RootPassword: &password}
	for _, f := range c.Bootstrap().Files {
		if strings.Contains(f.Content, password) {
			require.Equal(t, "/etc/etcd/root-password", f.Path)
			require.Equal(t, "0600", f.Mode)
			require.Equal(t, "root", f.Owner)
		}
	}
	require.Equal(t, password+"\n", fileOf(t, c.Bootstrap(), "/etc/etcd/root-password"))
}
