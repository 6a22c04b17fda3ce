package pki

import "crypto/x509"

var keyUsages = map[string]x509.KeyUsage{
	"digital_signature":  x509.KeyUsageDigitalSignature,
	"content_commitment": x509.KeyUsageContentCommitment,
	"key_encipherment":   x509.KeyUsageKeyEncipherment,
	"data_encipherment":  x509.KeyUsageDataEncipherment,
	"key_agreement":      x509.KeyUsageKeyAgreement,
	"cert_signing":       x509.KeyUsageCertSign,
	"crl_signing":        x509.KeyUsageCRLSign,
}

var extendedUsages = map[string]x509.ExtKeyUsage{
	"any_extended": x509.ExtKeyUsageAny,
	"server_auth":  x509.ExtKeyUsageServerAuth,
	"client_auth":  x509.ExtKeyUsageClientAuth,
	"code_signing": x509.ExtKeyUsageCodeSigning,
	"timestamping": x509.ExtKeyUsageTimeStamping,
	"ocsp_signing": x509.ExtKeyUsageOCSPSigning,
}

// KnownUse tells whether a name is one of the plugin's allowedUses that we can
// put in a certificate.
func KnownUse(name string) bool {
	_, key := keyUsages[name]
	_, extended := extendedUsages[name]
	return key || extended
}

func usages(names []string) (x509.KeyUsage, []x509.ExtKeyUsage) {
	var usage x509.KeyUsage
	var extended []x509.ExtKeyUsage
	for _, name := range names {
		usage |= keyUsages[name]
		if use, ok := extendedUsages[name]; ok {
			extended = append(extended, use)
		}
	}
	return usage, extended
}
