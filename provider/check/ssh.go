package check

import (
	"crypto/rsa"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// SSHPublicKey requires one public key as OpenSSH writes it.
func SSHPublicKey(s string) string {
	key, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(s))
	if err != nil || len(rest) > 0 || strings.ContainsAny(strings.TrimRight(s, "\n"), "\r\n") {
		return "must be one public key of OpenSSH, like ssh-ed25519 AAAA… name@host"
	}
	if key.Type() == ssh.InsecureKeyAlgoDSA { //nolint:staticcheck // it is what is refused
		return "must be a key of ED25519, ECDSA or RSA, not of DSA, which OpenSSH no longer takes"
	}
	if public, is := key.(ssh.CryptoPublicKey); is {
		if rsa, is := public.CryptoPublicKey().(*rsa.PublicKey); is && rsa.N.BitLen() < leastRSA {
			return fmt.Sprintf("must be a key of RSA with %d bits or more, or one of ED25519, not of RSA with %d", leastRSA, rsa.N.BitLen())
		}
	}
	return ""
}

// OneLine requires a secret of one line.
func OneLine(s string) string {
	if s == "" || strings.ContainsAny(s, "\r\n") {
		return "must be one line, and not empty"
	}
	return ""
}

// Word requires one word, as the keys of a service are.
func Word(s string) string {
	if s == "" || strings.ContainsAny(s, " \t\r\n") {
		return "must be one line without white space, and not empty"
	}
	return ""
}
