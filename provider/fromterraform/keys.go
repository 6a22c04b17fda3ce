package fromterraform

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// key is a private key that the state has.
type key struct {
	from, pem string
	signer    crypto.Signer
}

// privateKeys are those of resources that make keys and certificates, and of what these
// were signed with.
func privateKeys(all []Resource) (keys []key) {
	for _, name := range []string{"private_key_pem", "ca_private_key_pem"} { // first from where they were made
		for _, r := range all {
			text := r.Values.text(name)
			if text == "" || !strings.HasPrefix(r.Type, "tls_") {
				continue
			}
			if signer, reason := check.PrivateKey(text); reason == "" {
				keys = append(keys, key{from: r.Address + ", " + name, pem: text, signer: signer})
			}
		}
	}
	return keys
}

// keyOf finds the private key of a certificate.
func keyOf(cert *x509.Certificate, keys []key) (key, bool) {
	i := slices.IndexFunc(keys, func(k key) bool { return check.KeyMatches(cert, k.signer) == "" })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}

// certificates are those in a text, and nothing else that may be in there, like keys.
func certificates(text string) (all []*x509.Certificate) {
	for rest := []byte(text); ; {
		var p *pem.Block
		if p, rest = pem.Decode(rest); p == nil {
			return all
		}
		if cert, err := x509.ParseCertificate(p.Bytes); err == nil && p.Type == "CERTIFICATE" {
			all = append(all, cert)
		}
	}
}

// asPEM writes certificates anew.
func asPEM(certs ...*x509.Certificate) string {
	var b bytes.Buffer
	for _, cert := range certs {
		_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}) // to memory
	}
	return b.String()
}

// sameCert says whether both begin with the same certificate.
func sameCert(a, b []*x509.Certificate) bool {
	return len(a) > 0 && len(b) > 0 && a[0].Equal(b[0])
}

// privateKey is the one in a text, written anew: what else is in there is left out.
func privateKey(text string) string {
	for rest := []byte(text); ; {
		var p *pem.Block
		if p, rest = pem.Decode(rest); p == nil {
			return ""
		}
		if strings.HasSuffix(p.Type, "PRIVATE KEY") {
			return string(pem.EncodeToMemory(p))
		}
	}
}
