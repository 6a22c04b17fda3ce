package numbers

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

	"github.com/stretchr/testify/require"
)

// Postgres has numbers in a database.
type Postgres struct{ database, password, dir string }

// Table makes the table that the numbers are rows of.
const Table = "CREATE TABLE IF NOT EXISTS written (n bigint PRIMARY KEY)"

// InPostgres asks as the superuser, by the first of the endpoints that leads to a database,
// as a client does that checks where it is.
func InPostgres(t testing.TB, ca, password string, endpoints ...any) Postgres {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "ca.crt")
	require.NoError(t, os.WriteFile(file, []byte(ca), 0o600))
	var hosts, ports []string
	for _, endpoint := range endpoints {
		host, port, err := net.SplitHostPort(endpoint.(string))
		require.NoError(t, err)
		hosts, ports = append(hosts, host), append(ports, port)
	}
	database := fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=verify-full sslrootcert=%s connect_timeout=10",
		strings.Join(hosts, ","), strings.Join(ports, ","), file)
	return Postgres{database, password, dir}
}

// Query is what psql prints of the answer.
func (p Postgres) Query(ctx context.Context, query string) (string, error) {
	psql := exec.CommandContext(ctx, "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command="+query, "--dbname="+p.database)
	var said strings.Builder
	psql.Env, psql.Dir, psql.Stderr = append(psql.Environ(), "PGPASSWORD="+p.password), p.dir, &said
	out, err := psql.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}

// Put writes a row, which the cluster has on two nodes when it says so: also one that is
// there already, which the last leader may have had alone.
func (p Postgres) Put(ctx context.Context, n int) error {
	_, err := p.Query(ctx, fmt.Sprintf("INSERT INTO written VALUES (%d) ON CONFLICT (n) DO UPDATE SET n = excluded.n", n))
	return err
}

// Count is how many numbers below n are there.
func (p Postgres) Count(ctx context.Context, n int) (int, error) {
	out, err := p.Query(ctx, fmt.Sprintf("SELECT count(*) FROM written WHERE n < %d", n))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}
