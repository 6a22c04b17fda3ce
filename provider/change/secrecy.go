package change

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// secrecy says of a value that became a secret, or is none any more, whether it is another one, too. Of a list
// that cannot be told: its hash is of another form than its words.
func secrecy(before, now value) string {
	plain, hash, is := now.text, before.text, "no secret any more"
	if now.secret {
		plain, hash, is = before.text, now.text, "a secret now"
	}
	long := len(hash) > 8 && strings.HasSuffix(plain, hash[:8]+")") // what is left of one that was cut
	switch {
	case check.Hash(plain) == hash || long || plain == `""` && check.Hash("") == hash:
		return "the same value, " + is
	case strings.HasPrefix(plain, "["):
		return "[secret] may have changed, and is " + is
	}
	return "[secret] changed, and is " + is
}
