package host

import (
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// Service is what messages call it.
func (EtcdConnection) Service() string { return "etcd" }

// Together reports whether two connections are to the same cluster: whether they
// share an endpoint.
func (e EtcdConnection) Together(other EtcdConnection) bool {
	return slices.ContainsFunc(e.Endpoints, func(at string) bool { return slices.Contains(other.Endpoints, at) })
}

// SameUser reports whether etcd knows both by the same name.
func (e EtcdConnection) SameUser(other EtcdConnection) bool {
	if e.Username != nil || other.Username != nil {
		return ptr.Value(e.Username) == ptr.Value(other.Username)
	}
	return commonName(ptr.Value(e.ClientCert)) == commonName(ptr.Value(other.ClientCert))
}

// Outage is what an outage is remembered by.
func (e EtcdConnection) Outage() string {
	return strings.Join(append(slices.Sorted(slices.Values(e.Endpoints)), ptr.Value(e.Username), ptr.Value(e.ClientCert), e.CACert), " ")
}

func commonName(text string) string {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return ""
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return ""
	}
	return cert.Subject.CommonName
}
