// Package pki makes the keys, requests and certificates of the fake tls plugin.
// They are real: what is made here works in etcd and stands up to openssl.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// Key is a private key in the forms that the plugin returns.
type Key struct {
	PEM       string // PKCS#1, SEC 1 or, for Ed25519, PKCS#8
	PKCS8     string
	PublicPEM string

	// Empty for P224.
	OpenSSH           string
	PublicOpenSSH     string
	FingerprintMD5    string
	FingerprintSHA256 string
}

var curves = map[string]elliptic.Curve{
	"P224": elliptic.P224(), "P256": elliptic.P256(), "P384": elliptic.P384(), "P521": elliptic.P521(),
}

// NewKey generates a key.
func NewKey(algorithm, curve string, bits int) (Key, error) {
	signer, err := generate(algorithm, curve, bits)
	if err != nil {
		return Key{}, err
	}
	private, err := encodePrivate(signer)
	if err != nil {
		return Key{}, err
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		return Key{}, err
	}
	public, err := x509.MarshalPKIXPublicKey(signer.Public())
	if err != nil {
		return Key{}, err
	}
	key := Key{PEM: private, PKCS8: encode("PRIVATE KEY", pkcs8), PublicPEM: encode("PUBLIC KEY", public)}
	return key, key.openSSH(signer)
}

func generate(algorithm, curve string, bits int) (crypto.Signer, error) {
	switch algorithm {
	case "RSA":
		return rsa.GenerateKey(rand.Reader, bits)
	case "ECDSA":
		c, ok := curves[curve]
		if !ok {
			return nil, fmt.Errorf("invalid ECDSA curve %q", curve)
		}
		return ecdsa.GenerateKey(c, rand.Reader)
	case "ED25519":
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return key, err
	}
	return nil, fmt.Errorf("key algorithm %q is not supported", algorithm)
}

func encodePrivate(signer crypto.Signer) (string, error) {
	switch key := signer.(type) {
	case *rsa.PrivateKey:
		return encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), nil
	case *ecdsa.PrivateKey:
		der, err := x509.MarshalECPrivateKey(key)
		return encode("EC PRIVATE KEY", der), err
	}
	der, err := x509.MarshalPKCS8PrivateKey(signer)
	return encode("PRIVATE KEY", der), err
}

// parseKey reads a private key and says of which algorithm it is.
func parseKey(text string) (crypto.Signer, string, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, "", errors.New("failed to decode PEM block of a private key")
	}
	switch block.Type {
	case "RSA PRIVATE KEY":
		key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
		return key, "RSA", err
	case "EC PRIVATE KEY":
		key, err := x509.ParseECPrivateKey(block.Bytes)
		return key, "ECDSA", err
	case "PRIVATE KEY":
		return parsePKCS8(block.Bytes)
	}
	return nil, "", fmt.Errorf("unsupported PEM type %q of a private key", block.Type)
}

func parsePKCS8(der []byte) (crypto.Signer, string, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, "", err
	}
	switch key := key.(type) {
	case *rsa.PrivateKey:
		return key, "RSA", nil
	case *ecdsa.PrivateKey:
		return key, "ECDSA", nil
	case ed25519.PrivateKey:
		return key, "ED25519", nil
	}
	return nil, "", fmt.Errorf("unsupported private key type %T", key)
}

func encode(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func decode(kind, text string) ([]byte, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil || block.Type != kind {
		return nil, fmt.Errorf("failed to decode PEM of expected type %q", kind)
	}
	return block.Bytes, nil
}
