package admin

import (
	"bytes"
	"crypto/hmac"
	"crypto/md5" //nolint:gosec // old verifiers are read, none is made
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// PostgreSQL keeps of a password what a login can be checked by, a verifier (RFC 5803). It
// takes one instead of a password: so the password is in no statement, and in no log.

const iterations = 4096 // PostgreSQL's own

var verifierForm = regexp.MustCompile(`^SCRAM-SHA-256\$(\d+):([^$]+)\$([^:]+):(.+)$`)

// verifier is made anew, with a salt of its own.
func verifier(password string) (string, error) {
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return "", err
	}
	return verifierWith(password, salt, iterations)
}

func verifierWith(password string, salt []byte, iterations int) (string, error) {
	salted, err := pbkdf2.Key(sha256.New, prepared(password), salt, iterations, sha256.Size)
	if err != nil {
		return "", err
	}
	mac := func(text string) []byte {
		h := hmac.New(sha256.New, salted)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored, encode := sha256.Sum256(mac("Client Key")), base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, encode(salt), encode(stored[:]), encode(mac("Server Key"))), nil
}

// verifies reports whether what PostgreSQL keeps of a user is of that password.
func verifies(kept, user, password string) bool {
	if old, is := strings.CutPrefix(kept, "md5"); is {
		sum := md5.Sum([]byte(password + user)) //nolint:gosec // as above
		return hmac.Equal([]byte(old), []byte(hex.EncodeToString(sum[:])))
	}
	parts := verifierForm.FindStringSubmatch(kept)
	if parts == nil {
		return false
	}
	count, err := strconv.Atoi(parts[1])
	if err != nil {
		return false
	}
	salt, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil {
		return false
	}
	of, err := verifierWith(password, salt, count)
	return err == nil && hmac.Equal([]byte(of), []byte(kept))
}

// prepared is a password as SASLprep (RFC 4013) has it, which clients of PostgreSQL apply: one
// that it prohibits is taken as it is.
func prepared(password string) string {
	if !utf8.ValidString(password) || !strings.ContainsFunc(password, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return password
	}
	var b bytes.Buffer
	for _, r := range password {
		switch {
		case unicode.Is(unicode.Zs, r), r == 0x200B:
			b.WriteByte(' ')
		case r == 0xAD, r == 0x34F, r == 0x1806, r >= 0x180B && r <= 0x180D, r >= 0x200C && r <= 0x200D, r == 0x2060, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF:
		default:
			b.WriteRune(r)
		}
	}
	text := norm.NFKC.String(b.String())
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Co, unicode.Cs) }) {
		return password
	}
	return text
}
