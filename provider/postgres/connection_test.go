package postgres

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func to[T any](v T) *T { return &v }

func connect(t testing.TB, a ConnectionArgs) (Connection, error) {
	t.Helper()
	if a.ConnectTimeout == nil {
		a.ConnectTimeout = to(defaultConnectTimeout)
	}
	got, err := GetConnection{}.Invoke(t.Context(), infer.FunctionRequest[ConnectionArgs]{Input: a})
	return got.Output, err
}

func TestConnection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args ConnectionArgs
		want Connection
	}{
		"one load balancer": {
			ConnectionArgs{Endpoints: []string{"10.0.0.41:5433"}, Database: "app"},
			Connection{
				"postgresql://10.0.0.41:5433/app?sslmode=verify-full&connect_timeout=5",
				"host=10.0.0.41 port=5433 dbname=app sslmode=verify-full connect_timeout=5",
				"jdbc:postgresql://10.0.0.41:5433/app?sslmode=verify-full&connectTimeout=5",
			},
		},
		"two": {
			ConnectionArgs{
				Endpoints: []string{"10.0.0.41:5432", "[fd00::42]:5432"}, Database: "app", User: to("app"),
				SSLRootCert: to("/etc/app/ca.crt"), TargetSessionAttrs: to(readWrite), ConnectTimeout: to(3),
			},
			Connection{
				"postgresql://app@10.0.0.41:5432,[fd00::42]:5432/app?target_session_attrs=read-write&sslmode=verify-full&sslrootcert=/etc/app/ca.crt&connect_timeout=3",
				"host=10.0.0.41,fd00::42 port=5432 dbname=app user=app target_session_attrs=read-write sslmode=verify-full sslrootcert=/etc/app/ca.crt connect_timeout=3",
				"jdbc:postgresql://10.0.0.41:5432,[fd00::42]:5432/app?user=app&targetServerType=primary&sslmode=verify-full&sslrootcert=/etc/app/ca.crt&connectTimeout=3",
			},
		},
		"names, and what has a meaning in a form": {
			ConnectionArgs{
				Endpoints: []string{"db.example.org:5432", "10.0.0.41:6432"}, Database: "my db/?#", User: to(`o'neil@\x`),
				Password: to("a:b+c&d=%"), TargetSessionAttrs: to(preferStandby), SSLRootCert: to("/my certs/ca&.crt"),
			},
			Connection{
				"postgresql://o%27neil%40%5Cx:a%3Ab%2Bc%26d%3D%25@db.example.org:5432,10.0.0.41:6432/my%20db%2F%3F%23?target_session_attrs=prefer-standby&sslmode=verify-full&sslrootcert=/my%20certs/ca%26.crt&connect_timeout=5",
				`host=db.example.org,10.0.0.41 port=5432,6432 dbname='my db/?#' user='o\'neil@\\x' password=a:b+c&d=% target_session_attrs=prefer-standby sslmode=verify-full sslrootcert='/my certs/ca&.crt' connect_timeout=5`,
				"jdbc:postgresql://db.example.org:5432,10.0.0.41:6432/my%20db%2F%3F%23?user=o%27neil%40%5Cx&password=a%3Ab%2Bc%26d%3D%25&targetServerType=preferSecondary&sslmode=verify-full&sslrootcert=/my%20certs/ca%26.crt&connectTimeout=5",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := connect(t, c.args)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	for want, args := range map[string]ConnectionArgs{
		"endpoints: is required\ndatabase: is required":                                                                        {},
		`endpoints[1]: must be an address or a name, and a port, as in 10.0.0.41:5432 or [fd00::41]:5432, not "10.0.0.42"`:     {Endpoints: []string{"10.0.0.41:5432", "10.0.0.42"}, Database: "app"},
		`endpoints[0]: must be an address or a name, and a port, as in 10.0.0.41:5432 or [fd00::41]:5432, not "fd00::41:5432"`: {Endpoints: []string{"fd00::41:5432"}, Database: "app"},
		`endpoints[0]: must be an address or a name, and a port, as in 10.0.0.41:5432 or [fd00::41]:5432, not "a,b:5432"`:      {Endpoints: []string{"a,b:5432"}, Database: "app"},
		`endpoints[0]: must be an address or a name, and a port, as in 10.0.0.41:5432 or [fd00::41]:5432, not "db:65536"`:      {Endpoints: []string{"db:65536"}, Database: "app"},
		`endpoints[0]: must be an address that is reached without the name of an interface, not "[fe80::1%eth0]:5432"`:         {Endpoints: []string{"[fe80::1%eth0]:5432"}, Database: "app"},
		"user: is required with password":                {Endpoints: []string{"db:5432"}, Database: "app", Password: to("correct-horse")},
		"password: must have no NUL: no driver takes it": {Endpoints: []string{"db:5432"}, Database: "app", User: to("app"), Password: to("correct\x00horse")},
		"sslRootCert: must be the path of a file, where the program that connects has the certificate, not the certificate itself": {Endpoints: []string{"db:5432"}, Database: "app", SSLRootCert: to("-----BEGIN CERTIFICATE-----")},
		`targetSessionAttrs: must be any, read-write, read-only, primary, standby or prefer-standby, not "writer"`:                 {Endpoints: []string{"db:5432"}, Database: "app", TargetSessionAttrs: to(TargetSessionAttrs("writer"))},
		"connectTimeout: must be 2 or more, which is libpq's least, not 0":                                                         {Endpoints: []string{"db:5432"}, Database: "app", ConnectTimeout: to(0)},
	} {
		_, err := connect(t, args)
		if assert.Error(t, err, want) {
			assert.Equal(t, want, err.Error())
		}
	}
	_, err := connect(t, ConnectionArgs{Endpoints: []string{"db:5432", "db:5432"}, Database: "app"})
	assert.ErrorContains(t, err, "endpoints[1]: ")
}

// FuzzConnection has pgx read what was written, which it does much as libpq: nothing becomes
// another name or password.
func FuzzConnection(f *testing.F) {
	f.Add("app", "app", "correct-horse")
	f.Add("my db/?#%41", `o'neil@\x,:`, "a b+c&d=%25'\\ ")
	f.Add("ä\n\t\v", "=", "'")
	f.Fuzz(func(t *testing.T, database, user, password string) {
		args := ConnectionArgs{
			Endpoints: []string{"10.0.0.41:5432", "10.0.0.42:5433", "db.example.org:1"}, Database: database, User: &user, Password: &password, TargetSessionAttrs: to(readWrite),
		}
		got, err := connect(t, args)
		if err != nil {
			assert.True(t, strings.ContainsRune(database+user+password, 0) || database == "" || user == "" || password == "", err)
			return
		}
		reads(t, got.Conninfo, database, user, password, "10.0.0.42")
		reads(t, got.URI, strings.TrimLeft(database, "/"), user, password, "10.0.0.42") // pgx leaves these out
		args.Endpoints[1] = "[fd00::42]:5433"                                           // in a URI with others, pgx takes none
		got, err = connect(t, args)
		require.NoError(t, err)
		reads(t, got.Conninfo, database, user, password, "fd00::42")
	})
}

func reads(t *testing.T, text, database, user, password, second string) {
	t.Helper()
	read, err := pgx.ParseConfig(text)
	require.NoError(t, err)
	assert.Equal(t, []string{database, user, password, "10.0.0.41"}, []string{read.Database, read.User, read.Password, read.Host})
	require.NotNil(t, read.TLSConfig)
	assert.Equal(t, "10.0.0.41", read.TLSConfig.ServerName)
	var others []string
	for _, other := range read.Fallbacks {
		others = append(others, other.Host)
	}
	assert.Equal(t, []string{second, "db.example.org"}, others)
}
