package patroni_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/golden"
	"github.com/pulumi-quorum/pulumi-quorum/test/harness/loopback"
)

// TestGoldenConfigurations has Patroni itself judge what each case of the
// component gives. It looks for an etcd that answers, for free ports, and for
// PostgreSQL's programs.
func TestGoldenConfigurations(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("patroni"); err != nil {
		t.Skip("Patroni is not installed: tools/setup test installs it")
	}
	etcd, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = etcd.Close() })
	programs := t.TempDir()
	for _, name := range []string{"pg_ctl", "initdb", "pg_controldata", "pg_basebackup", "postgres", "pg_isready", "pg_rewind"} {
		require.NoError(t, os.WriteFile(filepath.Join(programs, name), []byte("#!/bin/sh\necho 'postgres (PostgreSQL) 17.6'\n"), 0o700))
	}
	for name, files := range golden.Files(t, "postgres-server") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			here := strings.NewReplacer(
				"10.77.0.21:2379", etcd.Addr().String(), "10.77.0.22:2379", etcd.Addr().String(),
				"10.77.0.11", "127.0.0.11", "/var/lib/postgresql", t.TempDir(),
				":5432", fmt.Sprint(":", loopback.Port(t)), ":4443", fmt.Sprint(":", loopback.Port(t)))
			conf := here.Replace(files["/etc/patroni/conf.yml"])
			require.NotEmpty(t, conf)
			said, err := judged(t, programs, conf)
			require.NoError(t, err, said)
			require.Empty(t, said)

			// It is no judge if it takes anything.
			said, err = judged(t, programs, strings.Replace(conf, "data_dir:", "data_directory:", 1))
			require.Error(t, err, said)
		})
	}
}

func judged(t *testing.T, programs, conf string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "conf.yml")
	require.NoError(t, os.WriteFile(file, []byte(conf), 0o600))
	cmd := exec.Command("patroni", "--validate-config", file)
	cmd.Env = append(os.Environ(), "PATRONI_POSTGRESQL_BIN_DIR="+programs)
	said, err := cmd.CombinedOutput()
	return string(said), err
}
