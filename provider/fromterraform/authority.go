package fromterraform

import (
	"crypto/x509"
	"slices"
	"strings"
)

// authority sets a certificate authority: its key is a secret.
func (p *program) authority(b *block, name, what, text string) {
	otherwise := "Whoever has it signs certificates for the machines that are made"
	if strings.Contains(what, "members") {
		otherwise = "Without it, give tls in place of ca: docs/taking-over-etcd.md, Without the authority's key"
	}
	certs := certificates(text)
	if len(certs) == 0 {
		ca := newBlock()
		ca.ask("cert", askedCert(what, "it is not in the user data"))
		ca.set("key", p.secrets.add(Secret{Key: camel(name, "ca key"), What: "private key of " + what, From: "not in the state: neither is its certificate"}))
		b.set("ca", ca)
		return
	}
	ca := newBlock()
	if len(certs) > 1 {
		ca.note("The file has %d certificates: this is the first", len(certs))
	}
	ca.set("cert", asPEM(certs[0]))
	secret := Secret{Key: camel(name, "ca key"), What: "private key of " + what + ", " + certs[0].Subject.CommonName}
	if k, has := keyOf(certs[0], p.keys); has {
		secret.From, secret.Value = k.from, k.pem
	} else {
		secret.From = "not in the state: no private key in there is the certificate's"
		ca.note("Its key is not in the state, and has to be set. %s", otherwise)
	}
	ca.set("key", p.secrets.add(secret))
	b.set("ca", ca)
}

// certificate has what the servers' own certificate names beside the machines.
func certificate(text string, known, knownNames []string) *block {
	b := newBlock()
	certs := certificates(text)
	if len(certs) == 0 {
		return b
	}
	var ips, names []string
	for _, ip := range certs[0].IPAddresses {
		if s := ip.String(); !ip.IsLoopback() && !slices.Contains(known, s) {
			ips = append(ips, s)
		}
	}
	for _, name := range certs[0].DNSNames {
		switch {
		case isIP(name): // the modules gave addresses as names too
			if name != "127.0.0.1" && name != "::1" && !slices.Contains(known, name) && !slices.Contains(ips, name) {
				ips = append(ips, name)
			}
		case name != "localhost" && !slices.Contains(knownNames, name):
			names = append(names, name)
		}
	}
	b.set("organization", organization(certs[0]))
	b.set("domains", names)
	b.set("extraIps", ips)
	return b
}

func organization(cert *x509.Certificate) string {
	if len(cert.Subject.Organization) == 0 {
		return ""
	}
	return cert.Subject.Organization[0]
}
