package server

import (
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/pulumi/pulumi-tls/sdk/v5/go/tls"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/fault"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
)

const authorityValidityH = 5 * 365 * 24

// Authority is the CA of a cluster: the one given, or one of its own.
func Authority[A any](ctx *pulumi.Context, name string, in inputs.Inputs[A], ca *CA, opts []pulumi.ResourceOption) (Identity, error) {
	if ca != nil {
		return Identity{in.RequiredString("ca.cert").ToStringOutput(), in.RequiredString("ca.key").ToStringOutput()}, nil
	}
	key, err := tls.NewPrivateKey(ctx, name+"-ca-key", &tls.PrivateKeyArgs{Algorithm: pulumi.String("ECDSA"), EcdsaCurve: pulumi.String("P256")}, opts...)
	if err != nil {
		return Identity{}, err
	}
	cert, err := tls.NewSelfSignedCert(ctx, name+"-ca", &tls.SelfSignedCertArgs{
		PrivateKeyPem:       key.PrivateKeyPem,
		IsCaCertificate:     pulumi.Bool(true),
		ValidityPeriodHours: pulumi.Int(authorityValidityH),
		AllowedUses:         pulumi.ToStringArray([]string{"cert_signing", "crl_signing", "digital_signature"}),
		Subject:             tls.SelfSignedCertSubjectArgs{CommonName: pulumi.String(name), Organization: pulumi.String(defaultOrganization)},
	}, append(opts[:len(opts):len(opts)], pulumi.IgnoreChanges([]string{"subject"}))...) // a cluster that is renamed, with an alias, keeps its own
	if err != nil {
		return Identity{}, err
	}
	return Identity{warnsOfEnd(ctx, cert), key.PrivateKeyPem}, nil
}

// warnsOfEnd is the certificate, which nothing renews by itself.
func warnsOfEnd(ctx *pulumi.Context, cert *tls.SelfSignedCert) pulumi.StringOutput {
	return fault.Try(cert.CertPem, func(text string) (string, error) {
		for _, ends := range check.End(time.Now(), "the authority", text) {
			if err := ctx.Log.Warn(ends, &pulumi.LogArgs{Resource: cert}); err != nil {
				return text, err
			}
		}
		return text, nil
	}).(pulumi.StringOutput)
}

// signing are the inputs that sign reads.
type signing struct {
	CA          *CA          `pulumi:"ca,optional"`
	Certificate *Certificate `pulumi:"certificate,optional"`
}

// SignedBy are the inputs for certificates of ca that are like the cluster's.
func SignedBy[A any](ca Identity, in inputs.Inputs[A]) inputs.Inputs[signing] {
	s := signing{CA: &CA{}}
	m := inputs.Map(&in.Args, &s)
	m.Same(&s, &in.Args, &s.CA)
	return inputs.Derive(in, m, ca.Inputs())
}

// Inputs are those of a server that hand it the authority.
func (i Identity) Inputs() map[string]pulumi.Output {
	return map[string]pulumi.Output{"ca.cert": i.Cert, "ca.key": i.Key}
}

// IsGiven is true, or absent where a password or key is made.
func IsGiven(given pulumi.StringPtrInput) pulumi.BoolPtrInput {
	if given == nil {
		return nil
	}
	return pulumi.Bool(true)
}

// Password is the one given, or one made of a private key, which the state
// keeps: no further plugin is needed for that.
func Password(ctx *pulumi.Context, name string, given pulumi.StringPtrInput, opts []pulumi.ResourceOption) (pulumi.StringOutput, error) {
	if given != nil {
		return pulumi.ToSecret(given.ToStringPtrOutput().Elem()).(pulumi.StringOutput), nil
	}
	key, err := tls.NewPrivateKey(ctx, name, &tls.PrivateKeyArgs{Algorithm: pulumi.String("ED25519")}, opts...)
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return fault.Apply(key.PrivateKeyPem, func(key string) string {
		hash := sha256.Sum256([]byte(key))
		return base64.RawURLEncoding.EncodeToString(hash[:])
	}).(pulumi.StringOutput), nil
}
