package pki

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net"
	"net/url"
)

// Names are what a certificate is for.
type Names struct {
	Subject pkix.Name
	DNS     []string
	IPs     []string
	URIs    []string
}

// NewRequest makes a certificate request and names the key's algorithm.
func NewRequest(key string, names Names) (request, algorithm string, err error) {
	signer, algorithm, err := parseKey(key)
	if err != nil {
		return "", "", err
	}
	ips, uris, err := names.parse()
	if err != nil {
		return "", "", err
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: names.Subject, DNSNames: names.DNS, IPAddresses: ips, URIs: uris,
	}, signer)
	return encode("CERTIFICATE REQUEST", der), algorithm, err
}

func (n Names) parse() ([]net.IP, []*url.URL, error) {
	var ips []net.IP
	for _, text := range n.IPs {
		ip := net.ParseIP(text)
		if ip == nil {
			return nil, nil, fmt.Errorf("failed to parse IP address %q", text)
		}
		ips = append(ips, ip)
	}
	var uris []*url.URL
	for _, text := range n.URIs {
		uri, err := url.Parse(text)
		if err != nil {
			return nil, nil, err
		}
		uris = append(uris, uri)
	}
	return ips, uris, nil
}
