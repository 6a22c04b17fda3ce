package check

import (
	"crypto/x509"
	"fmt"
	"slices"
	"time"
)

// AuthorityChange says what is wrong with a step from certificates of one
// authority to those of another, among machines that change one after the
// other: all must trust both, from before it until after. What cannot be read,
// or is unknown, is for others to report.
func AuthorityChange(now time.Time, was, trustedBefore, is, trustedNow string) string {
	old, _ := Certificates(was)
	next, _ := Certificates(is)
	if len(old) == 0 || len(next) == 0 || old[0].Equal(next[0]) {
		return ""
	}
	switch end := old[0].NotAfter; {
	case now.After(end):
		return fmt.Sprintf("must not replace an authority that has expired (%s) while health checks are on: the certificate of a machine cannot be verified before the machine trusts the new authority. "+
			"Set skipHealthChecks: true for one `pulumi up`, in which the services of all machines restart without any check, and remove it afterwards", end.UTC().Format(time.RFC3339))
	case !trusts(trustedBefore, next[0]):
		return "must be an authority that all machines already trust: add its certificate to trustedCaCerts and run `pulumi up` before it signs certificates. " +
			"If the key that signed before is gone, as after --replace of it, set skipHealthChecks: true for one `pulumi up`, in which the services of all machines restart without any check, and remove it afterwards"
	case !trusts(trustedNow, old[0]):
		return "must not be the only trusted authority while certificates of the previous one are in use: keep the previous authority's certificate in trustedCaCerts until one `pulumi up` has completed"
	}
	return ""
}

func trusts(bundle string, ca *x509.Certificate) bool {
	certs, _ := Certificates(bundle)
	return slices.ContainsFunc(certs, ca.Equal)
}

// AuthorityUnknown warns in a preview of an authority that is not known, where there was one.
const AuthorityUnknown = "the authority that signs certificates is made anew, or not known before the update: another one than now is refused there, unless all machines trust it already (trustedCaCerts). " +
	"Leave out a --replace of it or of its key: once that is done, the key that signed before is gone"
