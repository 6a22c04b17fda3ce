package etcd

import (
	"crypto/x509"
	"time"

	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
	"github.com/pulumi-quorum/pulumi-quorum/provider/etcd/config"
	"github.com/pulumi-quorum/pulumi-quorum/provider/inputs"
	"github.com/pulumi-quorum/pulumi-quorum/provider/server"
)

// EtcdClusterTLS are ready-made certificates of a cluster, whose authority's key is not at hand.
type EtcdClusterTLS struct {
	CACert   string  `pulumi:"caCert"`
	RootCert *string `pulumi:"rootCert,optional"`
	RootKey  *string `pulumi:"rootKey,optional" provider:"secret"`
}

// EtcdMemberTLS is the ready-made certificate of a member.
type EtcdMemberTLS struct {
	ServerCert string `pulumi:"serverCert"`
	ServerKey  string `pulumi:"serverKey" provider:"secret"`
}

// Annotate describes t.
func (t *EtcdClusterTLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdClusterTls")
	a.Describe(&t, "Ready-made certificates of a cluster, signed by an authority whose key is not at hand.")
	a.Describe(&t.CACert, "Certificates, PEM, of the authorities that members trust, and that clients trust.")
	a.Describe(&t.RootCert, "Certificate, PEM, of a client with the common name root. Required with `etcd.clientCertAuth`, which is the default.")
	a.Describe(&t.RootKey, "Private key of `rootCert`, PEM.")
}

// Annotate describes t.
func (t *EtcdMemberTLS) Annotate(a infer.Annotator) {
	a.SetToken("index", "EtcdMemberTls")
	a.Describe(&t, "The ready-made certificate of a member.")
	a.Describe(&t.ServerCert, "Certificate of the member, PEM, with its addresses and 127.0.0.1, for servers and clients. Certificates of authorities may follow it.")
	a.Describe(&t.ServerKey, "Private key of `serverCert`, PEM.")
}

// validateTLS requires ready-made certificates for all that takes one, or for nothing.
func (a EtcdClusterArgs) validateTLS(now time.Time) check.List {
	var l check.List
	for _, i := range a.own() {
		at := check.Join(check.Index("members", i), "tls")
		switch given := a.Members[i].TLS != nil; {
		case given && a.TLS == nil:
			l.Add(at, "must not be given without tls of the cluster: then `ca`, or an authority that is made, signs the certificates").Shape().Needing("tls")
		case !given && a.TLS != nil:
			l.Add(at, "must be given with tls of the cluster: nothing can sign a certificate without the authority's key").Shape().Needing("tls")
		}
	}
	if a.TLS == nil {
		return l
	}
	for _, input := range []struct {
		name  string
		given bool
	}{{"ca", a.CA != nil}, {"certificate", a.Certificate != nil}} {
		if input.given {
			l.Add(input.name, "must not be given together with tls, with which nothing is signed").Shape().Needing("tls")
		}
	}
	cert, key := a.TLS.RootCert, a.TLS.RootKey
	switch {
	case !a.certAuth() && (cert != nil || key != nil):
		l.Add("tls.rootCert", "must not be given with `etcd.clientCertAuth: false`: root has a password then").Shape().Needing("etcd.clientCertAuth")
	case !a.certAuth():
	case cert == nil:
		l.Add("tls.rootCert", "must be given: with `etcd.clientCertAuth` root is a client with a certificate").Shape().Needing("etcd.clientCertAuth")
	case key == nil:
		l.Add("tls.rootKey", "must be given with tls.rootCert").Shape()
	default:
		l.Identity(now, check.PEM{Path: "tls.caCert", Text: a.TLS.CACert}, check.PEM{Path: "tls.rootCert", Text: *cert}, check.PEM{Path: "tls.rootKey", Text: *key}, x509.ExtKeyUsageClientAuth)
		if chain, reason := check.Certificates(*cert); reason == "" && chain[0].Subject.CommonName != "root" {
			l.Add("tls.rootCert", "must have the common name root, not %s: etcd takes it for the user's name", check.Quote(chain[0].Subject.CommonName))
		}
	}
	return l
}

// takeTLS has a member take the certificates that are given for it.
func (a *EtcdClusterArgs) takeTLS(m *inputs.Mapping[EtcdClusterArgs, memberArgs], s *memberArgs, i int) {
	if a.TLS == nil || a.Members[i].TLS == nil {
		return
	}
	s.CA, s.TLS = nil, &config.TLS{}
	m.Take(&s.TLS.CACert, &a.TLS.CACert)
	m.Take(&s.TLS.ServerCert, &a.Members[i].TLS.ServerCert)
	m.Take(&s.TLS.ServerKey, &a.Members[i].TLS.ServerKey)
}

// authority is the one that signs, or whose certificate alone is given.
func authority(ctx *pulumi.Context, name string, in inputs.Inputs[EtcdClusterArgs], opts []pulumi.ResourceOption) (server.Identity, error) {
	if in.Args.TLS == nil {
		return server.Authority(ctx, name, in, in.Args.CA, opts)
	}
	return server.Identity{Cert: in.RequiredString("tls.caCert").ToStringOutput()}, nil
}
