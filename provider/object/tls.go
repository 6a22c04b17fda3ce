package object

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
)

// TLS is of a connection to a service whose certificate an authority has signed, with a client
// certificate and its key where there is one.
func TLS(caCert string, clientCert *string, clientKey string) (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(caCert)) {
		return nil, errors.New("caCert has no certificate")
	}
	secure := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	if clientCert != nil {
		pair, err := tls.X509KeyPair([]byte(*clientCert), []byte(clientKey))
		if err != nil {
			return nil, fmt.Errorf("clientCert and clientKey: %w", err)
		}
		secure.Certificates = []tls.Certificate{pair}
	}
	return secure, nil
}
