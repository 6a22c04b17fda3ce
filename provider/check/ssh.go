package check

import (
	"strings"

	"golang.org/x/crypto/ssh"
)

// SSHPublicKey requires one public key as OpenSSH writes it.
func SSHPublicKey(s string) string {
	_, _, _, rest, err := ssh.ParseAuthorizedKey([]byte(s))
	if err != nil || len(rest) > 0 || strings.ContainsAny(strings.TrimRight(s, "\n"), "\r\n") {
		return "must be one public key of OpenSSH, like ssh-ed25519 AAAA… name@host"
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
