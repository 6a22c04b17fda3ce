package check

import (
	"crypto"
	"crypto/x509"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// KeyMatches requires the key that the certificate was made for.
func KeyMatches(c *x509.Certificate, key crypto.Signer) string {
	public, ok := c.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
	if !ok || !public.Equal(key.Public()) {
		return "must be the key of the certificate"
	}
	return ""
}

// HasIPs requires each address among the certificate's. One that is no address
// is for IP to report.
func HasIPs(c *x509.Certificate, ips ...string) string {
	var has, lacks []string
	for _, ip := range c.IPAddresses {
		has = append(has, ip.String())
	}
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && !slices.Contains(has, a.Unmap().String()) {
			lacks = append(lacks, a.String())
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	names := "it names none"
	if len(has) > 0 {
		names = "it names " + strings.Join(has, ", ")
	}
	return "must be a certificate for the IP address " + strings.Join(lacks, ", ") + "; " + names
}

// HasUsages requires each extended key usage in the certificate.
func HasUsages(c *x509.Certificate, usages ...x509.ExtKeyUsage) string {
	names := map[x509.ExtKeyUsage]string{
		x509.ExtKeyUsageServerAuth: "server authentication",
		x509.ExtKeyUsageClientAuth: "client authentication",
	}
	if len(c.ExtKeyUsage)+len(c.UnknownExtKeyUsage) == 0 || slices.Contains(c.ExtKeyUsage, x509.ExtKeyUsageAny) {
		return "" // without the extension a certificate is good for all
	}
	var lacks []string
	for _, u := range usages {
		if !slices.Contains(c.ExtKeyUsage, u) {
			lacks = append(lacks, names[u])
		}
	}
	if len(lacks) > 0 {
		return "must be a certificate for " + strings.Join(lacks, " and ")
	}
	return ""
}

// InForce requires now within the certificate's validity.
func InForce(c *x509.Certificate, now time.Time) string {
	switch {
	case now.After(c.NotAfter):
		return "must be in force, but expired on " + c.NotAfter.UTC().Format(time.RFC3339)
	case now.Before(c.NotBefore):
		return "must be in force, but is not valid before " + c.NotBefore.UTC().Format(time.RFC3339)
	}
	return ""
}

// IsCA requires certificates that may sign others.
func IsCA(cas ...*x509.Certificate) string {
	for _, c := range cas {
		if !c.BasicConstraintsValid || !c.IsCA || (c.KeyUsage != 0 && c.KeyUsage&x509.KeyUsageCertSign == 0) {
			return "must be the certificate of a CA"
		}
	}
	return ""
}

// CAs are the certificates of authorities in a text, or why it is refused.
func CAs(text string) (cas []*x509.Certificate, reason string) {
	if cas, reason = Certificates(text); reason == "" {
		reason = IsCA(cas...)
	}
	if reason == "" {
		reason = strong(cas...)
	}
	return cas, reason
}

// SignedBy requires a certificate, followed by any between, that one of the CAs
// signed. Validity in time is for InForce.
func SignedBy(chain, cas []*x509.Certificate) string {
	for i, c := range chain {
		for _, ca := range cas {
			if c.Equal(ca) || c.CheckSignatureFrom(ca) == nil {
				return ""
			}
		}
		if i+1 == len(chain) {
			break
		}
		if c.CheckSignatureFrom(chain[i+1]) != nil {
			return fmt.Sprintf("must have each certificate followed by the one that signed it: number %d is not signed by number %d", i+1, i+2)
		}
	}
	return "must be signed by the CA"
}
