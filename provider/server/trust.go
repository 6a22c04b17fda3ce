package server

import (
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
)

// Trusted are the certificate of an authority and those of the input
// `trustedCaCerts`, PEM. Their order is not that of the inputs: when another
// of them signs, nothing that trusts them restarts.
func Trusted(in Given, cert pulumi.StringInput) pulumi.StringOutput {
	more := in.Strings("trustedCaCerts")
	if more == nil {
		return cert.ToStringOutput()
	}
	return fault.Apply(Concat(pulumi.StringArray{cert}, more), func(all []string) string {
		for i := range all {
			all[i] = strings.TrimSpace(all[i]) + "\n"
		}
		slices.Sort(all)
		return strings.Join(slices.Compact(all), "")
	}).(pulumi.StringOutput)
}

// AboutTrust describes `trustedCaCerts`.
const AboutTrust = "Certificates, PEM, of further authorities that are trusted: the previous and the next one, while the authority is changed, see docs/day-2.md."

func ValidateTrust(certs []string) check.List {
	var l check.List
	for i, text := range certs {
		_, reason := check.CAs(text)
		l.Check(check.Index("trustedCaCerts", i), reason)
	}
	return l
}
