// Package localpostgres runs PostgreSQL itself, with TLS, on this machine.
package localpostgres

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Password is that of the superuser, postgres.
const Password = "correct-horse-postgres"

// Unnamed is an address where servers listen too, which their certificate does not name.
const Unnamed = "127.0.0.9"

// Server is a server at 127.0.0.1, which writes all statements that it gets to its log.
type Server struct {
	Port string
	Dir  string // has server.crt, which is its own authority, and the socket

	t        testing.TB
	programs string
	settings []string
	data     string
	process  *exec.Cmd
}

// Start starts a server that is empty, of the oldest version here, or skips the test where PostgreSQL is not installed.
// Settings are like wal_level=logical.
func Start(t testing.TB, settings ...string) *Server {
	t.Helper()
	return start(t, versions(t)[0], settings)
}

// Newest is Start with the newest version here, which may be the same one.
func Newest(t testing.TB, settings ...string) *Server {
	t.Helper()
	all := versions(t)
	return start(t, all[len(all)-1], settings)
}

func versions(t testing.TB) []string {
	t.Helper()
	programs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	if len(programs) == 0 {
		t.Skip("PostgreSQL is not installed: tools/setup test installs it")
	}
	return programs
}

func start(t testing.TB, programs string, settings []string) *Server {
	t.Helper()
	dir, err := os.MkdirTemp("", "postgres") // in one of t's only its own user may go
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	certify(t, dir)
	s := &Server{Dir: dir, t: t, programs: programs, settings: settings, data: dir + "/primary"}
	s.Run("initdb", "--no-sync", "-D", s.data, "-U", "postgres", "-E", "UTF8", "--locale=C", "--auth-local=trust", "--auth-host=scram-sha-256")
	s.serve()
	s.SQL("postgres", "ALTER ROLE postgres PASSWORD '"+Password+"'")
	return s
}

// Standby starts a server that streams from this one.
func (s *Server) Standby() *Server {
	s.t.Helper()
	standby := &Server{Dir: s.Dir, t: s.t, programs: s.programs, settings: s.settings, data: s.Dir + "/standby"}
	s.Run("pg_basebackup", "-R", "--no-sync", "-c", "fast", "-h", s.Dir, "-p", s.Port, "-U", "postgres", "-D", standby.data)
	standby.serve()
	return standby
}

// Promote makes a standby one that takes writes.
func (s *Server) Promote() { s.t.Helper(); s.Run("pg_ctl", "promote", "-w", "-D", s.data) }

// Stop stops the server at once, as a loss of its machine does.
func (s *Server) Stop() {
	_ = s.process.Process.Signal(syscall.SIGQUIT)
	_ = s.process.Wait()
}

// Again starts a server that was stopped, where it was.
func (s *Server) Again() { s.t.Helper(); s.serve() }

func (s *Server) serve() {
	s.t.Helper()
	if s.Port == "" {
		s.Port = Free(s.t)
	}
	log, err := os.OpenFile(s.data+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(s.t, err)
	defer log.Close()
	args := []string{
		"-D", s.data, "-p", s.Port, "-k", s.Dir, "-c", "listen_addresses=127.0.0.1," + Unnamed, "-c", "fsync=off",
		"-c", "ssl=on", "-c", "ssl_cert_file=" + s.Dir + "/server.crt", "-c", "ssl_key_file=" + s.Dir + "/server.key", "-c", "log_statement=all",
	}
	for _, setting := range s.settings {
		args = append(args, "-c", setting)
	}
	server := s.as("postgres", args...)
	server.Stdout, server.Stderr = log, log
	require.NoError(s.t, server.Start())
	s.process = server
	s.t.Cleanup(func() { _ = server.Process.Signal(syscall.SIGQUIT); _ = server.Wait() })
	require.Eventually(s.t, func() bool { return s.as("pg_isready", "-h", s.Dir, "-p", s.Port).Run() == nil }, time.Minute, 50*time.Millisecond)
}

// Endpoint is where the server listens.
func (s *Server) Endpoint() string { return "127.0.0.1:" + s.Port }

// CACert is the certificate of its authority.
func (s *Server) CACert() string { return s.read(s.Dir + "/server.crt") }

// Log is what the server has written to its log.
func (s *Server) Log() string { return s.read(s.data + ".log") }

func (s *Server) read(file string) string {
	s.t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(s.t, err)
	return string(text)
}

// SQL has the superuser run statements in a database, and returns what they answer.
func (s *Server) SQL(database string, statements ...string) string {
	s.t.Helper()
	args := []string{"-XAtqh", s.Dir, "-p", s.Port, "-U", "postgres", "-d", database, "-v", "ON_ERROR_STOP=1"}
	for _, statement := range statements {
		args = append(args, "-c", statement)
	}
	return s.Run("psql", args...)
}

// As has a user run a statement over TLS, with a password, and returns what it answers.
func (s *Server) As(name, password, database, statement string) (string, error) {
	command := exec.Command(filepath.Join(s.programs, "psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", statement)
	command.Env = append(os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+s.Port, "PGUSER="+name, "PGPASSWORD="+password, "PGDATABASE="+database,
		"PGSSLMODE=verify-full", "PGSSLROOTCERT="+s.Dir+"/server.crt", "PGCONNECT_TIMEOUT=10")
	out, err := command.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// Run runs one of PostgreSQL's programs, and returns what it says.
func (s *Server) Run(name string, args ...string) string {
	s.t.Helper()
	out, err := s.as(name, args...).CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// as is a program run by a user whom PostgreSQL does not refuse to run as.
func (s *Server) as(name string, args ...string) *exec.Cmd {
	command := exec.Command(filepath.Join(s.programs, name), args...)
	command.Dir = s.Dir
	if os.Geteuid() != 0 {
		return command
	}
	nobody, err := user.Lookup("nobody")
	require.NoError(s.t, err)
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	require.NoError(s.t, os.Chown(filepath.Join(s.Dir, "server.key"), uid, gid))
	command.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return command
}

// Free is a port where nobody listens.
func Free(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return port
}

// certify writes a certificate that names 127.0.0.1, and its key.
func certify(t testing.TB, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "postgres"}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.crt"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
}
