package check

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"time"
)

// PEM is an input that holds PEM text.
type PEM struct{ Path, Text string }

// Usages are what the certificate of a cluster member is used for: it answers
// its clients and calls its peers.
var Usages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}

// Identity adds what is wrong with a certificate, its key and its CA, which
// must fit each other and be in force at now.
func (l *List) Identity(now time.Time, ca, cert, key PEM, usages ...x509.ExtKeyUsage) {
	roots, reason := Certificates(ca.Text)
	if reason == "" {
		reason = IsCA(roots...)
	}
	if reason == "" {
		reason = strong(roots...)
	}
	if reason == "" && !slices.ContainsFunc(roots, func(c *x509.Certificate) bool { return InForce(c, now) == "" }) {
		reason = InForce(roots[0], now) // beside another, one may have ended
	}
	l.Check(ca.Path, reason)
	badCA := reason != ""

	signer, reason := PrivateKey(key.Text)
	l.Check(key.Path, reason)

	chain, reason := Certificates(cert.Text)
	l.Check(cert.Path, reason)
	if reason != "" {
		return
	}
	if cert.Path != ca.Path {
		l.Check(cert.Path, strong(chain...))
	}
	l.Check(cert.Path, InForce(chain[0], now))
	l.Check(cert.Path, HasUsages(chain[0], usages...))
	if signer != nil {
		of := slices.IndexFunc(chain, func(c *x509.Certificate) bool { return KeyMatches(c, signer) == "" })
		switch {
		case of > 0:
			l.Add(cert.Path, "must begin with the certificate of the key, followed by those that signed it: that of the key is number %d", of+1).Needing(key.Path)
			return
		case of < 0:
			l.Add(key.Path, "%s", KeyMatches(chain[0], signer)).Needing(cert.Path)
		}
	}
	if !badCA {
		if reason := SignedBy(chain, roots); reason != "" {
			l.Add(cert.Path, "%s", reason).Needing(ca.Path)
		}
	}
}

// Authority adds what is wrong with a CA that is to sign certificates.
func (l *List) Authority(now time.Time, cert, key PEM) {
	l.Identity(now, cert, cert, key)
}

// Certificates reads one or more certificates.
func Certificates(text string) ([]*x509.Certificate, string) {
	const wanted = "must be a certificate in PEM (-----BEGIN CERTIFICATE-----)"
	var certs []*x509.Certificate
	rest := []byte(text)
	for {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		switch {
		case strings.HasSuffix(block.Type, "PRIVATE KEY"):
			return nil, wanted + ", not a private key"
		case block.Type != "CERTIFICATE" && Matches(`[A-Z0-9 ]{1,40}`, block.Type):
			return nil, wanted + ", not " + block.Type
		case block.Type != "CERTIFICATE":
			return nil, wanted
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, wanted + "; its content cannot be read"
		}
		certs = append(certs, c)
	}
	after := strings.TrimSpace(string(rest))
	switch {
	case strings.HasPrefix(after, "-----BEGIN "):
		return nil, wanted + fmt.Sprintf("; number %d cannot be read: its line breaks may be gone, or its end", len(certs)+1)
	case len(certs) == 0 && Matches(`[^\s-][^\s]*\.(pem|crt|cer|cert)`, after):
		return nil, wanted + ", not the name of a file: read the file in the program"
	case len(certs) == 0:
		return nil, wanted
	case after != "":
		return nil, fmt.Sprintf("must have nothing but certificates: after the last (number %d) there is other text", len(certs))
	}
	return certs, ""
}

// PrivateKey reads one unencrypted key: PKCS#1, PKCS#8 or SEC 1. It never
// shows anything of the text.
func PrivateKey(text string) (crypto.Signer, string) {
	const wanted = "must be a private key in PEM (-----BEGIN PRIVATE KEY-----)"
	for rest := []byte(text); ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			return nil, wanted
		}
		var key any
		var err error
		switch block.Type {
		case "EC PARAMETERS": // openssl ecparam -genkey writes them first
			continue
		case "RSA PRIVATE KEY":
			key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "ENCRYPTED PRIVATE KEY":
			return nil, wanted + " without a passphrase"
		default:
			return nil, wanted
		}
		signer, ok := key.(crypto.Signer)
		switch {
		case block.Headers["DEK-Info"] != "":
			return nil, wanted + " without a passphrase"
		case err != nil || !ok:
			return nil, wanted + "; its content cannot be read"
		}
		return signer, ""
	}
}
