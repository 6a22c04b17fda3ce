package etcdmachines

import "crypto/x509"

func pool(pem []byte) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	return roots
}
