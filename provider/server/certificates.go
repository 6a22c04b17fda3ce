package server

import (
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-tls/sdk/v5/go/tls"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/machine"
)

// CA is an authority that signs the certificates of machines.
type CA struct {
	Cert string `pulumi:"cert"`
	Key  string `pulumi:"key" provider:"secret"`
}

// Certificate says what a certificate signed by a CA is to be like.
type Certificate struct {
	Domains            []string `pulumi:"domains,optional"`
	ExtraIPs           []string `pulumi:"extraIps,optional"`
	Organization       *string  `pulumi:"organization,optional"`
	ValidityPeriod     *int     `pulumi:"validityPeriod,optional"`
	EarlyRenewalPeriod *int     `pulumi:"earlyRenewalPeriod,optional"`
}

const (
	defaultOrganization = "quorum"
	defaultValidityH    = 365 * 24
	defaultRenewalH     = 30 * 24
)

// validity is short of what dates in a certificate can say, and of what a duration can hold.
var validity = check.Bounds{Least: 1, Most: 100 * 365 * 24, MostIs: "100 years", In: check.Hour, Slips: []check.Unit{check.Second, check.Millisecond}}

// Annotate describes c.
func (c *CA) Annotate(a infer.Annotator) {
	a.SetToken("index", "CertificateAuthority")
	a.Describe(&c, "A certificate authority. Its key is used only where Pulumi runs: it is on no machine.")
	a.Describe(&c.Cert, "Certificate of the authority, PEM.")
	a.Describe(&c.Key, "Private key of the authority, PEM.")
}

// Annotate describes c.
func (c *Certificate) Annotate(a infer.Annotator) {
	a.SetToken("index", "Certificate")
	a.Describe(&c, "Names, organization and validity of the certificate that `ca` signs. It has an ECDSA key on the curve P-256, and names all addresses of the machine, 127.0.0.1, the machine's name and localhost.")
	a.Describe(&c.Domains, "Further domain names.")
	a.Describe(&c.ExtraIPs, "Further IP addresses.")
	a.Describe(&c.Organization, "Organization of the certificate's subject.")
	a.SetDefault(&c.Organization, defaultOrganization)
	a.Describe(&c.ValidityPeriod, "Hours for which the certificate is valid, from 1 to 876000 (100 years).")
	a.SetDefault(&c.ValidityPeriod, defaultValidityH)
	a.Describe(&c.EarlyRenewalPeriod, "Hours before the certificate expires from which on an update renews it. The machine uses the new certificate without a rebuild. Less than `validityPeriod`.")
	a.SetDefault(&c.EarlyRenewalPeriod, defaultRenewalH)
}

// Validate returns what is wrong with ca at now.
func (ca CA) Validate(now time.Time) check.List {
	var l check.List
	l.Authority(now, check.PEM{Path: "cert", Text: ca.Cert}, check.PEM{Path: "key", Text: ca.Key})
	return l
}

func (c Certificate) Validate() check.List {
	var l check.List
	for i, d := range c.Domains {
		l.Check(check.Index("domains", i), check.DomainName(d))
	}
	for i, ip := range c.ExtraIPs {
		l.Check(check.Index("extraIps", i), check.IP(ip))
	}
	l.Distinct(check.Each("domains", len(c.Domains), ""), c.Domains)
	l.Distinct(check.Each("extraIps", len(c.ExtraIPs), ""), c.ExtraIPs)
	l.Check("validityPeriod", validity.Check(*c.ValidityPeriod))
	switch early := *c.EarlyRenewalPeriod; {
	case early < 0:
		l.Add("earlyRenewalPeriod", "must be 0 or more, not %d", early)
	case early >= *c.ValidityPeriod:
		l.Add("earlyRenewalPeriod", "must be less than validityPeriod (%d), not %d", *c.ValidityPeriod, early).Needing("validityPeriod")
	}
	return l
}

// WarnOfSigning warns of certificates that will outlive the authority which signs them, and of
// such as are renewed too late.
func WarnOfSigning(ca *CA, c *Certificate, now time.Time) check.List {
	var l check.List
	hours := defaultValidityH
	if c != nil {
		hours = *c.ValidityPeriod
	}
	if c != nil && *c.EarlyRenewalPeriod == 0 {
		l.Add("certificate.earlyRenewalPeriod", "is 0: an update renews certificates only when they have expired")
	}
	if ca == nil {
		return l
	}
	if before := check.Outlives(now.Add(time.Duration(hours)*time.Hour), ca.Cert); before != "" {
		l.Add("certificate.validityPeriod", "is %d hours: what is signed now ends after its authority, which ends on %s", hours, before).Needing("ca")
	}
	return l
}

// Identity is a private key and a certificate for it, PEM.
type Identity struct{ Cert, Key pulumi.StringOutput }

// Subject is who an identity is for.
type Subject struct {
	CommonName pulumi.StringInput
	IPs        pulumi.StringArrayInput
	Domains    pulumi.StringArrayInput
	Uses       []string
}

// Given are the inputs of a component, as they were given.
type Given interface {
	machine.Inputs
	RequiredString(path string) pulumi.StringInput
	Strings(path string) pulumi.StringArrayInput
}

// Sign makes an identity of children of a component, from its inputs `ca` and
// `certificate`.
func Sign(ctx *pulumi.Context, name string, in Given, s Subject, opts ...pulumi.ResourceOption) (Identity, error) {
	key, err := tls.NewPrivateKey(ctx, name+"-key", &tls.PrivateKeyArgs{
		Algorithm:  pulumi.String("ECDSA"),
		EcdsaCurve: pulumi.String("P256"),
	}, opts...)
	if err != nil {
		return Identity{}, err
	}
	request, err := tls.NewCertRequest(ctx, name+"-request", &tls.CertRequestArgs{
		PrivateKeyPem: key.PrivateKeyPem,
		Subject: tls.CertRequestSubjectArgs{
			CommonName:   s.CommonName.ToStringOutput().ToStringPtrOutput(),
			Organization: orDefault[pulumi.StringPtrInput](in.String("certificate.organization"), pulumi.String(defaultOrganization)),
		},
		IpAddresses: s.IPs,
		DnsNames:    s.Domains,
	}, opts...)
	if err != nil {
		return Identity{}, err
	}
	cert, err := tls.NewLocallySignedCert(ctx, name+"-cert", &tls.LocallySignedCertArgs{
		CertRequestPem:      request.CertRequestPem,
		CaCertPem:           in.RequiredString("ca.cert"),
		CaPrivateKeyPem:     in.RequiredString("ca.key"),
		ValidityPeriodHours: orDefault[pulumi.IntPtrInput](in.Int("certificate.validityPeriod"), pulumi.Int(defaultValidityH)).ToIntPtrOutput().Elem(),
		EarlyRenewalHours:   orDefault[pulumi.IntPtrInput](in.Int("certificate.earlyRenewalPeriod"), pulumi.Int(defaultRenewalH)),
		AllowedUses:         pulumi.ToStringArray(append([]string{"digital_signature", "key_encipherment"}, s.Uses...)),
	}, opts...)
	if err != nil {
		return Identity{}, err
	}
	return Identity{cert.CertPem, key.PrivateKeyPem}, nil
}

// orDefault is in, unless its whole group was left out.
func orDefault[T pulumi.Input](in, instead T) T {
	if any(in) == nil {
		return instead
	}
	return in
}

// Concat joins lists, but for those that were left out.
func Concat(first pulumi.StringArray, more ...pulumi.StringArrayInput) pulumi.StringArrayOutput {
	lists := []any{first}
	for _, list := range more {
		if list != nil {
			lists = append(lists, list)
		}
	}
	return fault.Apply(pulumi.All(lists...), func(lists []any) (all []string) {
		for _, list := range lists {
			all = append(all, list.([]string)...)
		}
		return all
	}).(pulumi.StringArrayOutput)
}

// ValidateSigning requires certificates either ready-made, by an input `tls`, or
// signed, and the inputs for that right.
func ValidateSigning(ready bool, ca *CA, certificate *Certificate, now time.Time) check.List {
	var l check.List
	l.ExactlyOne("", "tls", ready, "ca", ca != nil)
	if ca != nil {
		l.Under("ca", ca.Validate(now))
	}
	if certificate != nil {
		if ca == nil {
			l.Add("certificate", "requires ca").Shape()
		}
		l.Under("certificate", certificate.Validate())
	}
	return l
}
