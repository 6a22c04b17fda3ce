//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// blueGreenProgram is a cluster with PostgreSQL 15 and, with what begins with a place to put it, one with 17 beside it.
func blueGreenProgram(beside bool, upgradeFrom string) string {
	const same = "      ca: {cert: \"${caCert}\", key: {fn::secret: \"${caKey}\"}}\n"
	green := ""
	if beside {
		green = strings.NewReplacer("RESTORE\n", upgradeFrom, "      backup: {s3: \"${s3}\"}\n", same+"      postgres: {version: \"17\"}\n",
			", isSynchronous: false", "", "      loadBalancers:\n", second+"      loadBalancers:\n").Replace(restored)
	}
	text := strings.NewReplacer("      backup: {s3: \"${s3}\"}\n", same+"      postgres: {version: \"15\", params: {wal_level: logical}}\n", "  s3Endpoint: {type: string}\n  s3Ca: {type: string}\n", "  caCert: {type: string}\n  caKey: {type: string}\n",
		"RESTORED\n", green).Replace(backedUp)
	text, _, _ = strings.Cut(withoutS3(text), "\noutputs:\n")
	return text + "\n"
}

const fromSource = "      upgradeFrom: {endpoints: [\"10.77.0.54:5432\"], superuserPassword: \"${source.superuserPassword}\"}\n"

// appPassword is of the role that the writer of TestBlueGreen is, at whichever cluster takes writes.
const appPassword = "password-of-the-writer"

// TestBlueGreen fills a new cluster with PostgreSQL 17 from one with 15, while a client writes there: after a failover of
// each, and an update that is killed. Then it takes that one's place, under the same client.
func TestBlueGreen(t *testing.T) {
	s := newStackBeside(t, blueGreenProgram(false, ""))
	b := backups{s, nil}
	b.Up()
	b.sql(t, "source", "CREATE ROLE app LOGIN PASSWORD '"+appPassword+"'; ALTER ROLE app SET statement_timeout = '1min'")
	b.sql(t, "source", "CREATE DATABASE app OWNER app")
	b.in(t, "source", "app", "SET ROLE app; CREATE TABLE numbers (n int); CREATE TABLE big (n bigserial PRIMARY KEY, d text); INSERT INTO big (d) SELECT repeat(md5(i::text), 8) FROM generate_series(1, 100000) i")

	b.Program(blueGreenProgram(true, fromSource))
	failed := b.UpFails()
	assert.Contains(t, failed.Diagnostics, "database app: tables without a primary key, whose changed rows nobody could tell: public.numbers")
	assert.NotContains(t, machines(t), "restored-1", "nothing was made")
	b.in(t, "source", "app", "ALTER TABLE numbers ADD PRIMARY KEY (n)")

	d := &database{ca: secretFile(t, "ca.crt", readPKI(t, "ca.crt"))}
	write := func() error {
		return d.insert(func(statement string) error {
			_, err := sandbox("shell", "timeout", "5", "env", "PGPASSWORD="+appPassword, "psql", "--no-psqlrc", "--quiet",
				"--dbname=host=10.77.0.54,10.77.0.56 port=5432 user=app dbname=app target_session_attrs=read-write connect_timeout=2 sslmode=verify-full sslrootcert="+d.ca, "--command="+statement)
			return err
		})
	}
	whileWriting := func(what string, during func()) {
		gaps := while(t, map[string]func() error{"write": write}, during)
		t.Logf("%s: the longest time from one acknowledged write to the next: %s", what, gaps["write"])
	}
	whileWriting("filled", func() {
		b.UpKilled(func(engine.Result) bool { return b.copies17() })
		b.Unlock()
		told := b.Up().Diagnostics
		assert.Contains(t, told, "filled: this cluster has all that 10.77.0.54:5432 has")
	})
	assert.Empty(t, b.Up().Ops(""))
	assert.Equal(t, "17", b.in(t, "restored", "app", "SELECT current_setting('server_version_num')::int / 10000"))
	for _, cluster := range []string{"restored", "source"} {
		whileWriting("failover of "+cluster, func() {
			leader := b.leader(t, cluster)
			on(t, leader, "patronictl", "-c", "/etc/patroni/conf.yml", "switchover", "--force")
			wait(t, "another leader", func() error {
				if b.leader(t, cluster) == leader {
					return fmt.Errorf("%s leads still", leader)
				}
				return nil
			})
		})
	}

	b.Program(blueGreenProgram(true, ""))
	assert.Contains(t, b.Preview().Diagnostics, "cutover: upgradeFrom is taken out")
	whileWriting("cut over", func() {
		var told string
		b.UpKilled(func(r engine.Result) bool {
			told = r.Diagnostics
			return b.refuses(t)
		})
		b.Unlock()
		told += b.Up().Diagnostics
		t.Log(told)
		assert.Contains(t, told, "database app is copied from the beginning: the source has no replication slot", "a slot of PostgreSQL 15 is on the node that led")
		assert.Regexp(t, "cut over: this cluster takes writes|all of it is done", told, "that which was killed may have come as far")
	})
	has := map[string]bool{}
	for _, row := range strings.Fields(b.in(t, "restored", "app", "SELECT n FROM numbers")) {
		has[row] = true
	}
	for _, row := range d.acknowledged {
		assert.True(t, has[fmt.Sprint(row)], "row %d was acknowledged and is lost", row)
	}
	t.Logf("%d rows were acknowledged", len(d.acknowledged))
	assert.Equal(t, "t", b.in(t, "restored", "app", "INSERT INTO big (d) VALUES ('last') RETURNING n > 100000"), "after a failover a sequence may leave out up to 32")
	for _, cluster := range []string{"source", "restored"} {
		assert.Equal(t, "0|0|0", b.in(t, cluster, "app", "SELECT (SELECT count(*) FROM pg_replication_slots WHERE slot_type = 'logical'), (SELECT count(*) FROM pg_publication), (SELECT count(*) FROM pg_subscription)"), cluster)
	}
	assert.Equal(t, "on", b.in(t, "source", "app", "SHOW default_transaction_read_only"))
	assert.Equal(t, "off", b.in(t, "restored", "app", "SHOW default_transaction_read_only"))
	b.follows17(t)
	assert.Empty(t, b.Up().Ops(""))
	b.Destroy()
}

// newStackBeside is a stack whose machines have PostgreSQL 15 and 17.
func newStackBeside(t *testing.T, program string) *engine.Stack {
	t.Helper()
	s := newStack(t, baked, program, []string{"store-1", "source-1", "source-2", "source-lb", "restored-1", "restored-2", "restored-lb"},
		map[string]string{"sshPublicKey": engine.SSHKey, "caCert": readPKI(t, "ca.crt"), "caKey": readPKI(t, "ca.key")})
	s.Setenv("FAKE_ROOTFS", besideBookworm(t))
	return s
}

// refuses reports whether the source was asked to refuse writes.
func (b backups) refuses(t *testing.T) bool {
	return b.in(t, "source", "app", "SHOW default_transaction_read_only") == "on"
}

// copies17 reports whether the new cluster has begun to copy rows.
func (backups) copies17() bool {
	for _, node := range []string{"restored-1", "restored-2"} {
		out, err := hardware.do("exec", node, "su", "postgres", "-c", "psql -XAtqc 'SELECT count(*) FROM pg_subscription'")
		if err == nil && strings.TrimSpace(out) != "0" {
			return true
		}
	}
	return false
}

// follows17 waits until both nodes of the new cluster have the last row.
func (b backups) follows17(t *testing.T) {
	t.Helper()
	for _, node := range []string{"restored-1", "restored-2"} {
		wait(t, node+" has all rows", func() error {
			out, err := hardware.do("exec", node, "su", "postgres", "-c", "psql -XAtqd app -c 'SELECT count(*) FROM big'")
			if err == nil && strings.TrimSpace(out) != "100001" {
				time.Sleep(time.Second)
				return fmt.Errorf("it has %s", out)
			}
			return err
		})
	}
}
