package admin

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// ErrUnreachable is what With returns, wrapped, when no member answered.
var ErrUnreachable = errors.New("etcd does not answer")

// answerTimeout bounds how long a member has to answer.
const answerTimeout = 2 * time.Second

// Unreachable reports whether err is that of a cluster that did not answer.
func Unreachable(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) ||
		status.Code(err) == codes.Unavailable || status.Code(err) == codes.DeadlineExceeded ||
		status.Code(err) == codes.Internal || stops(err) // Internal is of a connection that breaks off: etcd itself never answers that
}

// refusedByTLS reports whether one side refused the other's certificate.
func refusedByTLS(err error) bool { return err != nil && strings.Contains(err.Error(), "tls: ") }

// stops reports whether err is of an etcd that stops, or has no leader just
// now: the errors of its Raft have no code, and a call may end with an empty
// answer, which is not one of gRPC.
func stops(err error) bool {
	return status.Code(err) == codes.Unknown && slices.ContainsFunc(
		[]string{"unexpected HTTP status code received from server", "raft: stopped", "raft proposal dropped"},
		func(said string) bool { return strings.Contains(err.Error(), said) },
	)
}

// why finds out from each member why a call failed, which etcd's client does
// not say. A cluster that answers but refuses us, or is another one, is not
// unreachable.
func why(c host.EtcdConnection, failed error) error {
	secure, err := tlsConfig(c)
	if err != nil {
		return err
	}
	faults := make([]error, len(c.Endpoints))
	sideBySide(len(faults), func(i int) { faults[i] = tlsFault(c.Endpoints[i], secure) })
	var reasons []string
	for i, err := range faults {
		text := reason(failed)
		if err != nil {
			if refusedByTLS(err) && !expired(err) {
				return fmt.Errorf("%s: %w", c.Endpoints[i], err)
			}
			text = wait.Cause(err)
		}
		reasons = append(reasons, c.Endpoints[i]+": "+text)
	}
	return unreachableError{reasons}
}

// unreachableError is of a cluster of which no member answered, and why, by address.
type unreachableError struct{ reasons []string }

func (e unreachableError) Error() string {
	return ErrUnreachable.Error() + " at " + strings.Join(e.reasons, "; ")
}

func (e unreachableError) Is(target error) bool { return target == ErrUnreachable } //nolint:errorlint // as errors.Is has it

// lines has a line for each member.
func (e unreachableError) lines() string {
	return ErrUnreachable.Error() + "\n" + strings.Join(e.reasons, "\n")
}

// expired reports whether a certificate is refused because it has expired: it
// will be renewed.
func expired(err error) bool {
	var invalid x509.CertificateInvalidError
	return errors.As(err, &invalid) && invalid.Reason == x509.Expired || strings.Contains(err.Error(), "tls: expired certificate")
}

// tlsFault connects to a member, and waits to see whether that refuses our
// certificate.
func tlsFault(endpoint string, secure *tls.Config) error {
	end := time.Now().Add(answerTimeout)
	connection, err := tls.DialWithDialer(&net.Dialer{Deadline: end}, "tcp", endpoint, secure)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetReadDeadline(end); err != nil {
		return err
	}
	var remote *net.OpError
	if _, err = connection.Read(make([]byte, 1)); errors.As(err, &remote) && remote.Op == "remote error" {
		return err
	}
	return nil
}

// reason is the innermost reason for a failed call.
func reason(err error) string {
	if isAnswer(err, askedLearner) {
		return "the member that was asked is a learner, which does not answer for the cluster"
	}
	if _, inner, found := strings.Cut(err.Error(), `desc = "`); found { // of the connection that failed last
		return strings.TrimSuffix(inner, `"`)
	}
	if status.Code(err) == codes.DeadlineExceeded {
		return wait.Cause(context.DeadlineExceeded)
	}
	if s, is := status.FromError(err); is {
		return s.Message()
	}
	return wait.Cause(err)
}
