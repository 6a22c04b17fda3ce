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
		return fmt.Sprintf("must not follow one that has ended (%s) while gates ask: no machine can show who it is until it trusts the new one. "+
			"Give skipHealthChecks: true for one `pulumi up`, in which all members restart and nobody is asked, and take it out again", end.UTC().Format(time.RFC3339))
	case !trusts(trustedBefore, next[0]):
		return "must be one that all machines trust already: give its certificate in trustedCaCerts, and run `pulumi up`, before it signs"
	case !trusts(trustedNow, old[0]):
		return "must not be the only one that is trusted while certificates of the previous authority are in use: keep that one's certificate in trustedCaCerts until one `pulumi up` has completed"
	}
	return ""
}

func trusts(bundle string, ca *x509.Certificate) bool {
	certs, _ := Certificates(bundle)
	return slices.ContainsFunc(certs, ca.Equal)
}
