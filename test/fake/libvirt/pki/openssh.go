package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/pem"

	"golang.org/x/crypto/ssh"
)

// openSSH is a key in OpenSSH's forms, which have no P224.
func (k *Key) openSSH(signer crypto.Signer) error {
	if key, ok := signer.(*ecdsa.PrivateKey); ok && key.Curve == elliptic.P224() {
		return nil
	}
	block, err := ssh.MarshalPrivateKey(signer, "")
	if err != nil {
		return err
	}
	public, err := ssh.NewPublicKey(signer.Public())
	if err != nil {
		return err
	}
	k.OpenSSH = string(pem.EncodeToMemory(block))
	k.PublicOpenSSH = string(ssh.MarshalAuthorizedKey(public))
	k.FingerprintMD5 = ssh.FingerprintLegacyMD5(public)
	k.FingerprintSHA256 = ssh.FingerprintSHA256(public)
	return nil
}
