package check

import (
	"crypto/x509"
	"slices"
)

// AuthorityChange says what is wrong with a step from certificates of one
// authority to those of another, among machines that change one after the
// other: all must trust both, from before it until after. What cannot be read,
// or is unknown, is for others to report.
func AuthorityChange(was, trustedBefore, is, trustedNow string) string {
	old, _ := Certificates(was)
	next, _ := Certificates(is)
	if len(old) == 0 || len(next) == 0 || old[0].Equal(next[0]) {
		return ""
	}
	switch {
	case !trusts(trustedBefore, next[0]):
		return "must be one that all machines trust already: give its certificate in trustedCaCerts, and run up, before it signs"
	case !trusts(trustedNow, old[0]):
		return "must not be the only one that is trusted while certificates of the last one are in use: give that one's certificate in trustedCaCerts, until up has gone through"
	}
	return ""
}

func trusts(bundle string, ca *x509.Certificate) bool {
	certs, _ := Certificates(bundle)
	return slices.ContainsFunc(certs, ca.Equal)
}
