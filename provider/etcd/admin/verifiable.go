package admin

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
)

// canBeVerified refuses external members whose certificates OpenSSL does not verify, while etcd does: new machines ask
// the others with it before they join.
func (a HealthArgs) canBeVerified(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	wrong := make([]error, len(a.Members))
	sideBySide(len(wrong), func(i int) {
		m := a.Members[i]
		if !m.isExternal() {
			return
		}
		if shown, err := certificateAt(ctx, endpoint(m.IP)); err == nil && seemsSelfSigned(shown) {
			wrong[i] = fmt.Errorf("%s is external, and its certificate has the name of its authority, %s: OpenSSL takes it for one that signed itself, and no machine that uses it can connect. Give the member a certificate with another name first", m.Name, shown.Subject)
		}
	})
	return errors.Join(wrong...)
}

// seemsSelfSigned is how OpenSSL sees it: by the names, if the identifiers of keys do not tell them apart.
func seemsSelfSigned(c *x509.Certificate) bool {
	same := len(c.SubjectKeyId) == 0 || len(c.AuthorityKeyId) == 0 || bytes.Equal(c.SubjectKeyId, c.AuthorityKeyId)
	return same && bytes.Equal(c.RawSubject, c.RawIssuer) && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) != nil
}
