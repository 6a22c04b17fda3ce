package check

import (
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"slices"
	"time"
)

// leastRSA is the shortest key of RSA that is still secure, and that OpenSSL takes on Debian.
const leastRSA = 2048

// weak are signatures that can be forged; those of roots are not looked at by anybody.
var weak = []x509.SignatureAlgorithm{x509.MD2WithRSA, x509.MD5WithRSA, x509.SHA1WithRSA, x509.DSAWithSHA1, x509.DSAWithSHA256, x509.ECDSAWithSHA1}

// strong requires certificates with keys and signatures that cannot be forged.
func strong(certs ...*x509.Certificate) string {
	for _, c := range certs {
		if key, is := c.PublicKey.(*rsa.PublicKey); is && key.N.BitLen() < leastRSA {
			return fmt.Sprintf("must have a key of RSA with %d bits or more, or one of ECDSA, not of RSA with %d", leastRSA, key.N.BitLen())
		}
		if root := c.Subject.String() == c.Issuer.String(); !root && slices.Contains(weak, c.SignatureAlgorithm) {
			return "must be signed with SHA-256 or better, not " + c.SignatureAlgorithm.String()
		}
	}
	return ""
}

// leeway is by how much a certificate may outlive its authority: one that is made with it ends a
// little later.
const leeway = 24 * time.Hour

// Outlives says when the authority of a certificate ends, if the certificate ends later, or "".
func Outlives(end time.Time, ca string) string {
	cas, _ := Certificates(ca)
	if len(cas) == 0 {
		return ""
	}
	last := slices.MaxFunc(cas, func(a, b *x509.Certificate) int { return a.NotAfter.Compare(b.NotAfter) }).NotAfter
	if end.Sub(last) <= leeway {
		return ""
	}
	return last.UTC().Format(time.DateOnly)
}

// OutlivesCA warns of a certificate that its authority does not outlive.
func (l *List) OutlivesCA(cert, ca PEM) {
	if chain, reason := Certificates(cert.Text); reason == "" {
		if before := Outlives(chain[0].NotAfter, ca.Text); before != "" {
			l.Add(cert.Path, "ends on %s, after its authority, which ends on %s: until then it must be renewed", chain[0].NotAfter.UTC().Format(time.DateOnly), before).Needing(ca.Path)
		}
	}
}
