package explore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// rows are where numbers are written in a database.
type rows struct {
	subject            *postgresSubject
	database, password string
}

// write begins to write, if the stack says how.
func (p *postgresSubject) write() {
	outputs := p.trial.Outputs()
	endpoints, _ := outputs["primary"].([]any)
	ca, _ := outputs["caCert"].(string)
	password, _ := outputs["password"].(string)
	if len(endpoints) == 0 || ca == "" || password == "" || !p.able() {
		return
	}
	host, port, err := net.SplitHostPort(endpoints[0].(string))
	require.NoError(p.trial.tb, err)
	file := filepath.Join(p.trial.tb.TempDir(), "ca.crt")
	require.NoError(p.trial.tb, os.WriteFile(file, []byte(ca), 0o600))
	to := rows{p, fmt.Sprintf("host=%s port=%s user=postgres dbname=postgres sslmode=verify-full sslrootcert=%s connect_timeout=5", host, port, file), password}
	for range 60 {
		if _, err = to.query(p.trial.tb.Context(), "CREATE TABLE IF NOT EXISTS written (n bigint PRIMARY KEY)"); err == nil {
			p.writer = startWriter(p.trial.tb, to, 10*time.Second, 200*time.Millisecond)
			return
		}
		time.Sleep(time.Second)
	}
	require.NoError(p.trial.tb, err)
}

func (r rows) query(ctx context.Context, query string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	psql := exec.CommandContext(ctx, "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--command="+query, "--dbname="+r.database)
	var said strings.Builder
	psql.Env, psql.Dir, psql.Stderr = append(psql.Environ(), "PGPASSWORD="+r.password), r.subject.trial.tb.dir, &said
	out, err := psql.Output()
	if err != nil {
		return "", errors.Join(err, errors.New(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// put also acknowledges a row that is there already only when another node has it.
func (r rows) put(ctx context.Context, n int) error {
	_, err := r.query(ctx, fmt.Sprintf("INSERT INTO written VALUES (%d) ON CONFLICT (n) DO UPDATE SET n = excluded.n", n))
	return err
}

func (r rows) count(ctx context.Context, n int) (int, error) {
	out, err := r.query(ctx, fmt.Sprintf("SELECT count(*) FROM written WHERE n < %d", n))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}

func (r rows) able() bool { return r.subject.able() }
