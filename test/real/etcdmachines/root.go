package etcdmachines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// client has the certificate of the machine, which is no user's, or the
// password of root.
func (m *machine) client(ctx context.Context, config *embed.Config, password string) (*clientv3.Client, error) {
	secure, err := config.ClientTLSInfo.ClientConfig()
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(filepath.Join(m.dir, "etc", "tls", "ca.crt"))
	if err != nil {
		return nil, err
	}
	secure.RootCAs = pool(ca)
	as := clientv3.Config{Endpoints: []string{config.ListenClientUrls[0].Host}, TLS: secure, Context: ctx, Logger: zap.NewNop(), DialTimeout: 5 * time.Second}
	if password != "" {
		as.Username, as.Password = "root", password
	}
	return clientv3.New(as)
}

// authenticate does what etcd-auth does on a machine.
func (m *machine) authenticate(config *embed.Config) error {
	client, err := m.client(m.ended, config, "")
	if err != nil {
		return err
	}
	defer client.Close()
	password, err := os.ReadFile(filepath.Join(m.dir, "etc", "root-password"))
	byPassword, wanted := err == nil, strings.TrimSpace(string(password))
	if answer, err := client.AuthStatus(m.ended); errors.Is(err, rpctypes.ErrUserNotFound) || errors.Is(err, rpctypes.ErrUserEmpty) || err == nil && answer.Enabled {
		if byPassword {
			return m.changePassword(config, wanted)
		}
		return nil
	}
	_, _ = client.UserAddWithOptions(m.ended, "root", wanted, &clientv3.UserAddOptions{NoPassword: !byPassword})
	_, _ = client.UserGrantRole(m.ended, "root", "root")
	if _, err := client.AuthEnable(m.ended); err != nil {
		return err
	}
	return m.remember(wanted)
}

// changePassword logs in with the password that root had last, as far as this
// machine knows.
func (m *machine) changePassword(config *embed.Config, wanted string) error {
	ctx, cancel := context.WithTimeout(m.ended, 10*time.Second)
	defer cancel()
	if root, err := m.client(ctx, config, wanted); err == nil {
		root.Close()
		return m.remember(wanted)
	}
	known, err := os.ReadFile(m.known())
	if err != nil {
		return err
	}
	root, err := m.client(ctx, config, string(known))
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.UserChangePassword(ctx, "root", wanted); err != nil {
		return err
	}
	return m.remember(wanted)
}

// known is on the disk of the system, which goes with the machine.
func (m *machine) known() string { return filepath.Join(m.dir, "known-"+m.ID) }

func (m *machine) remember(password string) error {
	return os.WriteFile(m.known(), []byte(password), 0o600)
}
