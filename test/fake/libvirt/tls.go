package main

import (
	"crypto/sha256"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/fake/libvirt/pki"
)

var (
	signedDefaults     = props{"earlyRenewalHours": 0, "isCaCertificate": false, "setSubjectKeyId": false}
	selfSignedDefaults = props{
		"earlyRenewalHours": 0, "isCaCertificate": false, "setSubjectKeyId": false, "setAuthorityKeyId": false,
	}
)

var tlsKinds = map[string]kind{
	"tls:index/privateKey:PrivateKey":   {create: createPrivateKey},
	"tls:index/certRequest:CertRequest": {create: createCertRequest},
	"tls:index/locallySignedCert:LocallySignedCert": {
		defaults: signedDefaults, create: createLocallySignedCert, outdated: certificateOutdated,
	},
	"tls:index/selfSignedCert:SelfSignedCert": {
		defaults: selfSignedDefaults, create: createSelfSignedCert, outdated: certificateOutdated,
	},
}

func createPrivateKey(_ *server, c call) (string, props, error) {
	curve, bits := c.props.text("ecdsaCurve"), int(c.props.number("rsaBits"))
	if curve == "" {
		curve = "P224"
	}
	if bits == 0 {
		bits = 2048
	}
	key, err := pki.NewKey(c.props.text("algorithm"), curve, bits)
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(key.PublicPEM))
	return hex.EncodeToString(sum[:20]), props{
		"ecdsaCurve": curve, "rsaBits": bits,
		"privateKeyPem": key.PEM, "privateKeyPemPkcs8": key.PKCS8, "publicKeyPem": key.PublicPEM,
		"privateKeyOpenssh": key.OpenSSH, "publicKeyOpenssh": key.PublicOpenSSH,
		"publicKeyFingerprintMd5": key.FingerprintMD5, "publicKeyFingerprintSha256": key.FingerprintSHA256,
	}, nil
}

func createCertRequest(_ *server, c call) (string, props, error) {
	request, algorithm, err := pki.NewRequest(c.props.text("privateKeyPem"), names(c.props))
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(request))
	return hex.EncodeToString(sum[:20]), props{"certRequestPem": request, "keyAlgorithm": algorithm}, nil
}

func createLocallySignedCert(s *server, c call) (string, props, error) {
	terms, err := s.terms(c.props)
	if err != nil {
		return "", nil, err
	}
	cert, err := pki.Sign(c.props.text("certRequestPem"), c.props.text("caCertPem"), c.props.text("caPrivateKeyPem"), terms)
	if err != nil {
		return "", nil, err
	}
	computed := certificateOutputs(c.props, cert, terms)
	computed["caKeyAlgorithm"] = cert.KeyAlgorithm
	return cert.Serial, computed, nil
}

func createSelfSignedCert(s *server, c call) (string, props, error) {
	terms, err := s.terms(c.props)
	if err != nil {
		return "", nil, err
	}
	cert, err := pki.SelfSign(c.props.text("privateKeyPem"), names(c.props), terms)
	if err != nil {
		return "", nil, err
	}
	computed := certificateOutputs(c.props, cert, terms)
	computed["keyAlgorithm"] = cert.KeyAlgorithm
	return cert.Serial, computed, nil
}

// terms begin at the real time, so that a certificate is good at once, and end
// by the world's clock, so that it is still good after the clock was advanced.
func (s *server) terms(in props) (pki.Terms, error) {
	now, err := s.world.Now()
	if err != nil {
		return pki.Terms{}, err
	}
	for _, use := range in.texts("allowedUses") {
		if !pki.KnownUse(use) {
			return pki.Terms{}, fmt.Errorf("allowedUses: unknown use %q", use)
		}
	}
	return pki.Terms{
		From: time.Now(), Until: now.Add(hours(in, "validityPeriodHours")),
		Uses: in.texts("allowedUses"), CA: in.flag("isCaCertificate"),
		SubjectKeyID: in.flag("setSubjectKeyId"), AuthorityKeyID: in.flag("setAuthorityKeyId"),
	}, nil
}

func certificateOutputs(in props, cert pki.Certificate, terms pki.Terms) props {
	return props{
		"certPem":           cert.PEM,
		"validityStartTime": terms.From.UTC().Format(time.RFC3339),
		"validityEndTime":   terms.Until.UTC().Format(time.RFC3339),
		"readyForRenewal":   in.number("earlyRenewalHours") >= in.number("validityPeriodHours"),
	}
}

// certificateOutdated has a certificate replaced once its early renewal period
// has begun.
func certificateOutdated(s *server, c call) (string, error) {
	end, err := time.Parse(time.RFC3339, c.state.text("validityEndTime"))
	if err != nil {
		return "", fmt.Errorf("validityEndTime: %w", err)
	}
	now, err := s.world.Now()
	if err != nil || now.Before(end.Add(-hours(c.props, "earlyRenewalHours"))) {
		return "", err
	}
	return "readyForRenewal", nil
}

func hours(in props, key string) time.Duration {
	return time.Duration(in.number(key) * float64(time.Hour))
}

func names(in props) pki.Names {
	return pki.Names{
		Subject: subject(in), DNS: in.texts("dnsNames"), IPs: in.texts("ipAddresses"), URIs: in.texts("uris"),
	}
}

func subject(in props) pkix.Name {
	given := in.object("subject")
	one := func(key string) []string {
		if text := given.text(key); text != "" {
			return []string{text}
		}
		return nil
	}
	name := pkix.Name{
		CommonName: given.text("commonName"), SerialNumber: given.text("serialNumber"),
		Organization: one("organization"), OrganizationalUnit: one("organizationalUnit"),
		Country: one("country"), Province: one("province"), Locality: one("locality"), PostalCode: one("postalCode"),
		StreetAddress: given.texts("streetAddresses"),
	}
	if email := given.text("emailAddress"); email != "" {
		name.ExtraNames = []pkix.AttributeTypeAndValue{{
			Type:  asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 9, 1},
			Value: asn1.RawValue{Tag: asn1.TagIA5String, Bytes: []byte(email)},
		}}
	}
	return name
}
