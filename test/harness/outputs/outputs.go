// Package outputs reaches an etcd cluster with what the stack that made it says.
package outputs

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Outputs are those of the stack.
type Outputs struct {
	Endpoints []string `json:"endpoints"`
	CACert    string   `json:"caCert"`
	RootCert  string   `json:"rootCert"`
	RootKey   string   `json:"rootKey"`

	RootPassword string `json:"rootPassword"` // where clients log in
}

// Read reads a file with the outputs as JSON.
func Read(file string) (o Outputs, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(b, &o); err != nil {
		return o, fmt.Errorf("read %s: %w", file, err)
	}
	return o, nil
}

// Client is etcd's user root. It notices when the machine it talks to is gone.
func (o Outputs) Client() (*clientv3.Client, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(o.CACert)) {
		return nil, errors.New("the output caCert is no certificate")
	}
	config := clientv3.Config{
		Endpoints: o.Endpoints, DialTimeout: 5 * time.Second, Logger: zap.NewNop(),
		DialKeepAliveTime: 5 * time.Second, DialKeepAliveTimeout: 2 * time.Second, // etcd takes none more often
		TLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	if o.RootPassword != "" {
		config.Username, config.Password = "root", o.RootPassword
		return clientv3.New(config)
	}
	pair, err := tls.X509KeyPair([]byte(o.RootCert), []byte(o.RootKey))
	if err != nil {
		return nil, fmt.Errorf("read the certificate of root: %w", err)
	}
	config.TLS.Certificates = []tls.Certificate{pair}
	return clientv3.New(config)
}
