package admin

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// PostgreSQL's codes for errors, which its manual lists in appendix A.
const (
	noSuchDatabase     = "3D000"
	duplicateDatabase  = "42P04"
	duplicateObject    = "42710"
	dependentsExist    = "2BP01"
	mayNot             = "42501"
	wrongPassword      = "28P01"
	notInState         = "55000"
	featureUnsupported = "0A000"
	undefinedFile      = "58P01"
)

// passing are those after which another try may succeed: the server stops, starts, is a
// standby now or has no room, or another session was in the way.
var passing = []string{"57P01", "57P02", "57P03", "25006", "53300", "40001", "40P01", "55006"}

// connectError is of a cluster that no server of takes writes from us, and why, by address.
type connectError struct {
	reasons  []string
	final    bool // whether another try makes no sense
	answered bool // whether a server said something, but that it is a standby
	silent   bool // whether nothing was heard of any: see IsSilent
	cause    error
}

func (e *connectError) Error() string {
	if e.final {
		return e.reasons[0]
	}
	return "no PostgreSQL that takes writes answers at " + strings.Join(e.reasons, "; ")
}

func (e *connectError) Unwrap() error { return e.cause }

// noAccess reports whether err is that of a cluster that could not be accessed: no server
// that takes writes answered, or one side refused the other's certificate or password.
func noAccess(err error) bool { return away(err) || passes(err) }

// noDatabase reports whether there is no such database, or only what is left of one.
func noDatabase(err error) bool {
	return isCode(err, noSuchDatabase) || isCode(err, notInState) && strings.Contains(err.Error(), "invalid database")
}

// passes reports whether another try may succeed.
func passes(err error) bool {
	var failed *connectError
	if errors.As(err, &failed) {
		return !failed.final
	}
	return isCode(err, passing...) || isCode(err, "XX000") && strings.Contains(err.Error(), "concurrently updated")
}

func isCode(err error, codes ...string) bool {
	var answer *pgconn.PgError
	return errors.As(err, &answer) && slices.Contains(codes, answer.Code)
}

// final reports whether all servers would refuse us as this one does.
func final(err error) bool {
	var answer *pgconn.PgError
	if errors.As(err, &answer) {
		return !slices.Contains(passing, answer.Code)
	}
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		return false // it will be renewed
	}
	var untrusted *tls.CertificateVerificationError
	return errors.As(err, &untrusted) || strings.Contains(err.Error(), "remote error: tls") || strings.Contains(err.Error(), "refused TLS") ||
		errors.As(err, new(x509.UnknownAuthorityError)) || errors.As(err, new(x509.HostnameError))
}

// said is an answer of PostgreSQL in its words. The statement is not in it, which may have
// a verifier of a password.
func said(err error) error {
	var answer *pgconn.PgError
	if !errors.As(err, &answer) {
		return err
	}
	return &answerError{err, answer}
}

type answerError struct {
	error
	answer *pgconn.PgError
}

func (e *answerError) Error() string {
	return strings.Replace(e.error.Error(), e.answer.Error(), words(e.answer), 1)
}

func (e *answerError) Unwrap() error { return e.error }

func words(answer *pgconn.PgError) string {
	text := answer.Message
	if answer.Detail != "" {
		text += ": " + strings.ReplaceAll(strings.TrimSuffix(answer.Detail, "."), "\n", "; ")
	}
	return text
}

// reason is why a server could not be used, in few words.
func reason(err error) string {
	var answer *pgconn.PgError
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.As(err, &answer) && strings.HasPrefix(answer.Message, "no pg_hba.conf entry") || errors.As(err, &answer) && strings.HasPrefix(answer.Message, "pg_hba.conf rejects"):
		return words(answer) + ". A PostgresCluster lets its superuser in with clientCert and clientKey, or where a rule of postgres.access names it"
	case errors.As(err, &answer):
		return words(answer)
	case errors.As(err, &untrusted):
		return untrusted.Error()
	case strings.Contains(err.Error(), "read only connection"):
		return "it takes no writes: it is a standby, or default_transaction_read_only is on"
	case strings.Contains(err.Error(), "server is in standby mode"):
		return "it is a standby"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it closed the connection, as a load balancer does while no node leads, or the cluster is a standby"
	case strings.Contains(err.Error(), "refused TLS"):
		return "it has no TLS"
	}
	if _, inner, found := strings.Cut(err.Error(), "remote error: "); found {
		return "remote error: " + inner
	}
	return wait.Cause(err)
}

// step says what was being done when err came.
func step(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}
