package clusters

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// superuser asks through load balancers, as a client does that checks where it
// is: the first of them that leads to a database.
type superuser struct{ database, password string }

func (d *database) superuser(t *testing.T, endpoints ...any) superuser {
	t.Helper()
	ca := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(ca, []byte(d.Output("caCert")), 0o600))
	var hosts, ports []string
	for _, endpoint := range endpoints {
		host, port, err := net.SplitHostPort(endpoint.(string))
		require.NoError(t, err)
		hosts, ports = append(hosts, host), append(ports, port)
	}
	return superuser{fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=verify-full sslrootcert=%s connect_timeout=10",
		strings.Join(hosts, ","), strings.Join(ports, ","), ca), d.Output("password")}
}

func (s superuser) query(ctx context.Context, query string) (string, error) {
	psql := exec.CommandContext(ctx, "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command="+query, "--dbname="+s.database)
	psql.Env = append(psql.Environ(), "PGPASSWORD="+s.password)
	out, err := psql.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// put writes a row, which the cluster has on two nodes when it says so: also
// one that is there already, which the last leader may have had alone.
func (s superuser) put(ctx context.Context, n int) error {
	_, err := s.query(ctx, fmt.Sprintf("INSERT INTO written VALUES (%d) ON CONFLICT (n) DO UPDATE SET n = excluded.n", n))
	return err
}

func (s superuser) count(ctx context.Context, n int) (int, error) {
	out, err := s.query(ctx, fmt.Sprintf("SELECT count(*) FROM written WHERE n < %d", n))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

// write has a client write to the cluster, by way of all load balancers.
func (d *database) write(t *testing.T) *writer {
	t.Helper()
	primary := d.Outputs()["primary"].([]any)
	d.ask(t, "CREATE TABLE IF NOT EXISTS written (n bigint PRIMARY KEY)", primary...)
	return write(t, d.superuser(t, primary...))
}

// ask asks until there is an answer: on a machine that is busy, leaders lose
// their lock.
func (d *database) ask(t *testing.T, query string, endpoints ...any) (answer string) {
	t.Helper()
	s := d.superuser(t, endpoints...)
	require.Eventually(t, func() bool {
		var err error
		if answer, err = s.query(t.Context(), query); err != nil {
			t.Log(err)
		}
		return err == nil
	}, 2*time.Minute, time.Second)
	return answer
}
