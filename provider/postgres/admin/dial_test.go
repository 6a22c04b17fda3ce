package admin_test

import (
	"net"
	"os"
	"testing"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/real/localpostgres"
)

// silentPort is where a connection is taken and nothing answered.
func silentPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

// TestWriterIsFound has it behind others, and a switchover come while users are made.
func TestWriterIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	standby := w.pg.Standby()
	all := []string{"127.0.0.1:" + localpostgres.Free(t), silentPort(t), standby.Endpoint(), w.pg.Endpoint()}
	in := object("connection", w.connection(all...), "password", secret)
	w.made("PostgresUser", "one", in)

	w.pg.Stop()
	done := make(chan error)
	two := w.of("PostgresUser", "two")
	inputs := two.checked(in)
	go func() {
		_, err := w.Create(p.CreateRequest{Urn: two.urn(), Properties: inputs})
		done <- err
	}()
	time.Sleep(2 * time.Second)
	standby.Promote()
	require.NoError(t, <-done)
	_, err := standby.As("two", secret, "postgres", "SELECT 1")
	require.NoError(t, err)
}

// TestSaysWhy requires each error to say which server was asked, and none to have a password.
func TestSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	standby := w.pg.Standby()
	nobody := "127.0.0.1:" + localpostgres.Free(t)
	fails := func(connection property.Map) string {
		t.Helper()
		_, err := w.imported("PostgresUser", "someone", connection)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "correct-horse")
		return err.Error()
	}
	with := func(key, to string) property.Map { return w.connection().Set(key, property.New(to)) }
	assert.Equal(t, w.pg.Endpoint()+`: password authentication failed for user "postgres"`, fails(with("password", "correct-horse-another")))
	assert.Equal(t, w.pg.Endpoint()+`: password authentication failed for user "nobody"`, fails(with("user", "nobody")))
	assert.Contains(t, fails(w.connection(localpostgres.Unnamed+":"+w.pg.Port)), localpostgres.Unnamed+":"+w.pg.Port+": tls: failed to verify certificate: x509: certificate is valid for 127.0.0.1, not 127.0.0.9")
	ca, err := os.ReadFile("../../testdata/pki/ca.crt")
	require.NoError(t, err)
	assert.Contains(t, fails(with("caCert", string(ca))), w.pg.Endpoint()+": tls: failed to verify certificate: x509: certificate signed by unknown authority")
	assert.Equal(t, "no PostgreSQL that takes writes answers at "+nobody+": connection refused; "+standby.Endpoint()+": it takes no writes: it is a standby, or default_transaction_read_only is on", fails(w.connection(nobody, standby.Endpoint())))
	hba := w.pg.SQL("postgres", "SHOW hba_file")
	require.NoError(t, os.WriteFile(hba, []byte("local all all trust\nhostssl all postgres 192.0.2.1/32 scram-sha-256\n"), 0o600))
	w.pg.SQL("postgres", "SELECT pg_reload_conf()")
	require.Eventually(t, func() bool { _, err := w.pg.As("postgres", "", "postgres", "SELECT 1"); return err != nil }, time.Minute, time.Second/10)
	time.Sleep(time.Second)
	assert.Contains(t, fails(w.connection()), "A PostgresCluster lets its superuser in with clientCert and clientKey, or where a rule of postgres.access names it")
}

// TestWhileAway requires what etcd's resources do: the state stays as it was.
func TestWhileAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	u := w.made("PostgresUser", "app", object("password", secret))
	w.pg.Stop()
	kept := u.state
	require.NoError(t, u.refresh(), "a refresh that failed would end the update that brings PostgreSQL back")
	assert.Equal(t, kept, u.state)
	require.NoError(t, u.destroy(), "the cluster may be gone too")
	w.pg.Again()
	require.NoError(t, u.delete())
	assert.Empty(t, w.role("app"))
}

// TestPreviewAsksNobody has a connection that is not known yet.
func TestPreviewAsksNobody(t *testing.T) {
	t.Parallel()
	w := world{newServer(t), t, nil}
	unknown := property.New(property.Computed)
	for kind, in := range map[string]property.Map{
		"PostgresUser": object("password", unknown), "PostgresDatabase": object("owner", unknown), "PostgresGrant": object("database", unknown, "role", unknown, "access", "read-only"),
	} {
		for _, connection := range []property.Value{unknown, property.New(object("endpoints", unknown, "caCert", unknown, "password", unknown))} {
			o := w.of(kind, "app")
			inputs := o.checked(in.Set("connection", connection))
			_, err := w.Create(p.CreateRequest{Urn: o.urn(), Properties: inputs, DryRun: true})
			require.NoError(t, err, kind)
		}
	}
}
