package pgbouncer_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPool has clients come to PostgreSQL through PgBouncer, as a node runs both.
func TestPool(t *testing.T) {
	t.Parallel()
	p := start(t)

	t.Run("who may", func(t *testing.T) {
		for _, c := range []struct{ what, to, want string }{
			{"a user", "user=app password=secret dbname=postgres", "app postgres"},
			{"a user of a database with a name", "user=other password=secret dbname='my app'", "other my app"},
			{"a database of the user's name", "user=other password=secret dbname=other", "other other"},
			{"another password", "user=app password=wrong dbname=postgres", "SASL authentication failed"},
			{"no such user", "user=nobody password=secret dbname='my app'", "no such user"},
			{"without TLS", "user=app password=secret dbname=postgres sslmode=disable", "SSL required"},
			{"the superuser", "user=postgres password=secret dbname=postgres", "no such user"},
			{"another superuser", "user=admin password=secret dbname='my app'", "no such user"},
			{"who replicates", "user=replicator password=secret dbname='my app'", "no such user"},
			{"who rewinds", "user=rewind_user password=secret dbname='my app'", "no such user"},
			{"the pool itself", "user=quorum_pooler password=secret dbname='my app'", "login rejected"},
			{"a password that is no longer valid", "user=expired password=secret dbname='my app'", "SASL authentication failed"},
			{"who may not log in", "user=team password=secret dbname='my app'", "no such user"},
			{"from another network", "user=outside password=secret dbname='my app'", "login rejected"},
			{"by certificate", "user=carded password=secret dbname='my app'", "login rejected"},
			{"another database", "user=other password=secret dbname=postgres", "login rejected"},
		} {
			got, err := p.ask(t, c.to, "SELECT current_user || ' ' || current_database()")
			if err != nil {
				got = err.Error()
			}
			assert.Contains(t, got, c.want, c.what)
		}
		_, err := p.ask(t, "user=app password=secret dbname=postgres", "SELECT quorum_pooler.lookup('app')")
		assert.ErrorContains(t, err, "permission denied")
	})

	t.Run("who gains nothing by it", p.testTrust)
	t.Run("a certificate is renewed", p.testRenewed)

	t.Run("what comes later", func(t *testing.T) {
		p.sql(t, "postgres", `CREATE DATABASE later`, `ALTER ROLE app PASSWORD 'another'`)
		_, err := p.ask(t, "user=app password=secret dbname=later", "SELECT 1")
		require.ErrorContains(t, err, "SASL authentication failed")
		got, err := p.ask(t, "user=app password=another dbname=later", "SELECT current_database()::text")
		require.NoError(t, err)
		assert.Equal(t, "later", got)
		got, err = p.ask(t, "user=app password=another dbname=postgres", "SELECT current_database()::text")
		require.NoError(t, err, "for whom connections with the old password were pooled")
		assert.Equal(t, "postgres", got)
		p.lookup(t)
	})

	t.Run("more clients than connections", func(t *testing.T) {
		const clients = 1200
		all := make([]*pgx.Conn, clients)
		var done sync.WaitGroup
		slots := make(chan struct{}, 20)
		for i := range all {
			done.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				var err error
				all[i], err = p.connect(t, "user=app password=another dbname=postgres")
				assert.NoError(t, err)
			})
		}
		done.Wait()
		require.False(t, t.Failed())
		defer func() {
			for _, c := range all {
				_ = c.Close(context.Background())
			}
		}()
		query := func() {
			for _, c := range all {
				done.Go(func() {
					var n int
					assert.NoError(t, c.QueryRow(t.Context(), "SELECT 1 FROM pg_sleep(0.001)").Scan(&n))
				})
			}
			done.Wait()
		}
		query()
		assert.LessOrEqual(t, p.backends(t, "app"), 5)
		p.reload(t, "default_pool_size = 5\n", "default_pool_size = 11\n")
		query() // those that were there before
		got := p.backends(t, "app")
		assert.Greater(t, got, 5)
		assert.LessOrEqual(t, got, 11)
	})

	t.Run("PostgreSQL is restarted", func(t *testing.T) {
		p.sql(t, "postgres", `CREATE TABLE numbers (n int)`, `GRANT ALL ON numbers TO app`)
		stop := make(chan struct{})
		var written []int
		var gap time.Duration
		var writer sync.WaitGroup
		last := time.Now()
		writer.Go(func() {
			var c *pgx.Conn
			defer func() {
				if c != nil {
					_ = c.Close(context.Background())
				}
			}()
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
				var err error
				if c == nil || c.IsClosed() {
					c, err = p.connect(t, "user=app password=another dbname=postgres")
				}
				if err == nil {
					_, err = c.Exec(ctx, fmt.Sprintf("INSERT INTO numbers VALUES (%d)", n), pgx.QueryExecModeSimpleProtocol)
				}
				cancel()
				if err != nil {
					time.Sleep(50 * time.Millisecond)
					continue
				}
				written = append(written, n)
				gap, last = max(gap, time.Since(last)), time.Now()
			}
		})
		time.Sleep(time.Second)
		require.NoError(t, p.postgres.Signal(syscall.SIGINT))
		p.servePostgres(t)
		back := time.Now()
		time.Sleep(3 * time.Second)
		close(stop)
		writer.Wait()
		assert.True(t, last.After(back), "writes go on")
		t.Logf("the longest time from one acknowledged write to the next: %v; %d were", gap, len(written))
		there := strings.Fields(p.sql(t, "postgres", "SELECT n FROM numbers"))
		has := map[string]bool{}
		for _, n := range there {
			has[n] = true
		}
		for _, n := range written {
			require.True(t, has[fmt.Sprint(n)], "row %d was acknowledged and is lost", n)
		}
	})

	t.Run("metrics", func(t *testing.T) {
		p.run(t, "metrics")
		var text string
		require.Eventually(t, func() bool {
			b, err := os.ReadFile(p.dir + "/metrics.prom")
			text = string(b)
			return err == nil && strings.Contains(text, "pgbouncer_up 1\n")
		}, 10*time.Second, 100*time.Millisecond, "those of the first round, before the second")
		for _, line := range []string{
			`pgbouncer_pools_client_waiting_connections{database="my app",user="other"} 0`, "pgbouncer_config_max_client_connections 2000",
			"# TYPE pgbouncer_stats_queries_pooled_total counter", "# TYPE pgbouncer_pools_client_maxwait_seconds gauge",
		} {
			assert.Contains(t, text, line+"\n")
		}
		assert.NotContains(t, text, `database="pgbouncer"`)
		assert.Equal(t, strings.Count(text, "# TYPE"), strings.Count(text, "# TYPE pgbouncer_"))
	})

	t.Run("its log", func(t *testing.T) {
		before := p.log.String()
		for range 5 {
			p.declines(t)
		}
		time.Sleep(300 * time.Millisecond)
		assert.Equal(t, before, p.log.String(), "checks of load balancers leave no trace")
		assert.NotContains(t, before, "secret")
	})

	t.Run("it stops", func(t *testing.T) {
		c, err := p.connect(t, "user=app password=another dbname=postgres")
		require.NoError(t, err)
		defer func() { _ = c.Close(context.Background()) }()
		require.NoError(t, p.bouncer.Signal(syscall.SIGINT))
		select {
		case <-p.stopped:
		case <-time.After(10 * time.Second):
			t.Error("a client that does nothing keeps it from stopping")
		}
	})
}
