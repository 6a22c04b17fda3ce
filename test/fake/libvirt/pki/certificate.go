package pki

import (
	"crypto"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // the key identifiers of RFC 5280
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"math/big"
	"time"
)

// Terms are what the issuer decides.
type Terms struct {
	From, Until    time.Time
	Uses           []string
	CA             bool
	SubjectKeyID   bool
	AuthorityKeyID bool
}

// Certificate is an issued certificate.
type Certificate struct {
	Serial       string
	PEM          string
	KeyAlgorithm string // of the key that signed it
}

// Sign issues a certificate for a request.
func Sign(request, caCert, caKey string, terms Terms) (Certificate, error) {
	der, err := decode("CERTIFICATE REQUEST", request)
	if err != nil {
		return Certificate{}, err
	}
	asked, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return Certificate{}, err
	}
	if der, err = decode("CERTIFICATE", caCert); err != nil {
		return Certificate{}, err
	}
	parent, err := x509.ParseCertificate(der)
	if err != nil {
		return Certificate{}, err
	}
	template := &x509.Certificate{
		Subject: asked.Subject, DNSNames: asked.DNSNames, IPAddresses: asked.IPAddresses, URIs: asked.URIs,
	}
	return issue(template, parent, asked.PublicKey, caKey, terms)
}

// SelfSign issues a certificate that is its own authority.
func SelfSign(key string, names Names, terms Terms) (Certificate, error) {
	signer, _, err := parseKey(key)
	if err != nil {
		return Certificate{}, err
	}
	ips, uris, err := names.parse()
	if err != nil {
		return Certificate{}, err
	}
	template := &x509.Certificate{Subject: names.Subject, DNSNames: names.DNS, IPAddresses: ips, URIs: uris}
	return issue(template, template, signer.Public(), key, terms)
}

func issue(template, parent *x509.Certificate, public crypto.PublicKey, key string, terms Terms) (Certificate, error) {
	signer, algorithm, err := parseKey(key)
	if err != nil {
		return Certificate{}, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 128)); err != nil {
		return Certificate{}, err
	}
	template.NotBefore, template.NotAfter = terms.From, terms.Until
	template.BasicConstraintsValid, template.IsCA = true, terms.CA
	template.KeyUsage, template.ExtKeyUsage = usages(terms.Uses)
	if terms.CA || terms.SubjectKeyID {
		if template.SubjectKeyId, err = keyID(public); err != nil {
			return Certificate{}, err
		}
	}
	if terms.AuthorityKeyID {
		if len(parent.SubjectKeyId) == 0 {
			return Certificate{}, errors.New("could not determine authority key identifier")
		}
		template.AuthorityKeyId = parent.SubjectKeyId
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	return Certificate{
		Serial: template.SerialNumber.String(), PEM: encode("CERTIFICATE", der), KeyAlgorithm: algorithm,
	}, err
}

func keyID(public crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	var info struct {
		Algorithm asn1.RawValue
		PublicKey asn1.BitString
	}
	if _, err := asn1.Unmarshal(der, &info); err != nil {
		return nil, err
	}
	sum := sha1.Sum(info.PublicKey.RightAlign()) //nolint:gosec // see import
	return sum[:], nil
}
