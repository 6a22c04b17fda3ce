package etcd

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	p "github.com/pulumi/pulumi-go-provider"

	"github.com/pulumi-quorum/pulumi-quorum/provider/roles/host"
	"github.com/pulumi-quorum/pulumi-quorum/provider/wait"
)

// ErrUnreachable is what With returns, wrapped, when no member answered.
var ErrUnreachable = errors.New("etcd does not answer")

// oneKnock bounds how long a member has to answer.
const oneKnock = 2 * time.Second

// Unreachable tells whether err is that of a cluster that did not answer.
func Unreachable(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) ||
		status.Code(err) == codes.Unavailable || status.Code(err) == codes.DeadlineExceeded || notOfGRPC(err)
}

// notOfGRPC is for an answer that no gRPC server gave: etcd that stops may end a
// call by one without a content.
func notOfGRPC(err error) bool {
	return status.Code(err) == codes.Unknown && strings.Contains(err.Error(), "unexpected HTTP status code received from server")
}

// why asks each member why a call failed: etcd's client keeps that to itself.
// A cluster that is there but refuses us, or is not the one meant, is not
// unreachable.
func why(c host.EtcdConnection, failed error) error {
	secure, err := tlsConfig(c)
	if err != nil {
		return err
	}
	var reasons []string
	for _, endpoint := range c.Endpoints {
		text := reason(failed)
		if err := knock(endpoint, secure); err != nil {
			if strings.Contains(err.Error(), "tls: ") {
				return fmt.Errorf("%s: %w", endpoint, err)
			}
			text = wait.Cause(err)
		}
		reasons = append(reasons, endpoint+": "+text)
	}
	return fmt.Errorf("%w at %s", ErrUnreachable, strings.Join(reasons, "; "))
}

// knock connects to a member, and waits for what that says of our certificate.
func knock(endpoint string, secure *tls.Config) error {
	connection, err := tls.DialWithDialer(&net.Dialer{Timeout: oneKnock}, "tcp", endpoint, secure)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetReadDeadline(time.Now().Add(oneKnock)); err != nil {
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
	if _, inner, found := strings.Cut(err.Error(), `desc = "`); found { // of the connection that failed last
		return strings.TrimSuffix(inner, `"`)
	}
	if s, is := status.FromError(err); is {
		return s.Message()
	}
	return wait.Cause(err)
}

// deleted is the outcome of a deletion: what is in a cluster that is gone is
// gone too.
func deleted(ctx context.Context, what string, err error) error {
	if Unreachable(err) {
		p.GetLogger(ctx).Warningf("%s is taken for deleted: %s", what, err)
		return nil
	}
	return err
}
