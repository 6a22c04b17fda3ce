package pgbouncer_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// trapped is a database of who is no superuser, and waits in it for one who looks around, and for the pool.
var trapped = []string{
	`SET ROLE builder`,
	`CREATE SCHEMA evil`, `CREATE SCHEMA quorum_pooler`,
	`CREATE FUNCTION evil.to_regprocedure(text) RETURNS regprocedure LANGUAGE plpgsql AS 'BEGIN ALTER ROLE builder SUPERUSER; RETURN NULL; END'`,
	`CREATE FUNCTION evil.pg_get_userbyid(oid) RETURNS name LANGUAGE plpgsql AS 'BEGIN ALTER ROLE builder SUPERUSER; RETURN NULL; END'`,
	`ALTER DATABASE trap SET search_path = evil, pg_catalog`,
}

// testTrust has nobody gain anything by the pool's function, or keep others from it.
func (p *machine) testTrust(t *testing.T) {
	assert.Equal(t, "f\n", p.sql(t, "postgres", `SELECT DISTINCT r.rolsuper OR r.rolcanlogin FROM pg_proc p JOIN pg_roles r ON r.oid = p.proowner WHERE p.oid = 'quorum_pooler.lookup(text)'::regprocedure`))
	assert.Equal(t, "0\n", p.sql(t, "postgres", `SET ROLE quorum_pooler`, `SELECT count(*) FROM quorum_pooler.lookup('app')`), "the pool itself asks, or nobody")

	p.sql(t, "postgres", `CREATE ROLE builder LOGIN PASSWORD 'secret'`, `CREATE DATABASE trap OWNER builder TEMPLATE template0`)
	p.sql(t, "trap", trapped...)
	p.sql(t, "postgres", `CREATE DATABASE zoo TEMPLATE template0`)
	out, err := p.command("lookup").CombinedOutput()
	require.NoError(t, err, "%s: one database keeps no other from the pool", out)
	if !strings.Contains(p.release, "auth_dbname") { // where PgBouncer looks in each database
		assert.Contains(t, string(out), "database trap: the schema quorum_pooler is not the pool's")
	}
	assert.Equal(t, "f\n", p.sql(t, "postgres", `SELECT rolsuper FROM pg_roles WHERE rolname = 'builder'`))
	got, err := p.ask(t, "user=app password=secret dbname=zoo", "SELECT current_database()::text")
	require.NoError(t, err)
	assert.Equal(t, "zoo", got)
	p.sql(t, "postgres", `DROP DATABASE trap`, `DROP DATABASE zoo WITH (FORCE)`)
}

// testRenewed has PgBouncer serve with another certificate once it reloads, while clients are there.
func (p *machine) testRenewed(t *testing.T) {
	c, err := p.connect(t, "user=app password=secret dbname=postgres")
	require.NoError(t, err)
	defer func() { _ = c.Close(context.Background()) }()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	of := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "renewed"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, &of, &of, key.Public(), key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	p.write(t, "server.crt", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	p.write(t, "server.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))
	require.NotEqual(t, "renewed", p.serves(t))
	p.reload(t, "server_login_retry", "server_login_retry")
	require.Eventually(t, func() bool { return p.serves(t) == "renewed" }, 10*time.Second, 50*time.Millisecond)
	_, err = c.Exec(t.Context(), "SELECT 1")
	require.NoError(t, err)
}

// serves is the common name of PgBouncer's certificate.
func (p *machine) serves(t *testing.T) string {
	t.Helper()
	c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", p.pooler))
	require.NoError(t, err)
	defer func() { _ = c.Close() }()
	_, err = c.Write([]byte{0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f}) // SSLRequest
	require.NoError(t, err)
	answer := make([]byte, 1)
	_, err = io.ReadFull(c, answer)
	require.NoError(t, err)
	require.Equal(t, "S", string(answer))
	secured := tls.Client(c, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // it is looked at
	require.NoError(t, secured.Handshake())
	return secured.ConnectionState().PeerCertificates[0].Subject.CommonName
}
