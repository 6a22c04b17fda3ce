package health

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"time"
)

// verifier has the authorities by which nodes are verified, and the client
// certificate.
type verifier struct {
	roots *x509.CertPool
	own   tls.Certificate
}

// dial connects to a node. An expired certificate is accepted, if the authority
// signed it for this address: otherwise a cluster whose certificates have
// expired could not be queried while it gets others.
func (a verifier) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := tls.Dialer{Config: &tls.Config{
		Certificates: []tls.Certificate{a.own}, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection does it
		VerifyConnection:   func(state tls.ConnectionState) error { return a.verify(state.PeerCertificates, host) },
	}}
	return dialer.DialContext(ctx, network, address)
}

func (a verifier) verify(shown []*x509.Certificate, host string) error {
	options := x509.VerifyOptions{DNSName: host, Roots: a.roots, Intermediates: x509.NewCertPool(), CurrentTime: time.Now()}
	if end := shown[0].NotAfter; end.Before(options.CurrentTime) {
		options.CurrentTime = end
	}
	for _, certificate := range shown[1:] {
		options.Intermediates.AddCert(certificate)
	}
	_, err := shown[0].Verify(options)
	return err
}
