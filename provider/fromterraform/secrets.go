package fromterraform

import (
	"strings"
	"unicode"
)

// Secret is a value that the program takes from the stack's configuration.
type Secret struct {
	Key   string // of the configuration
	What  string // it is, for people
	From  string // where in the state it is, or why it is not taken from there
	Value string // or "", if it is not in the state
	Plain bool   // not a secret, but not in the state either
}

// secrets are those of a program, by their keys.
type secrets struct{ all []Secret }

// add names a secret in the program.
func (s *secrets) add(secret Secret) reference {
	for _, each := range s.all {
		if each.Key == secret.Key {
			return reference(secret.Key)
		}
	}
	s.all = append(s.all, secret)
	return reference(secret.Key)
}

// camel is a key of the configuration: dns-1 and "etcd password" become dns1EtcdPassword.
func camel(words ...string) string {
	var b strings.Builder
	for _, word := range strings.FieldsFunc(strings.Join(words, " "), func(r rune) bool { return !isPlain(r) }) {
		if b.Len() > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	key := b.String()
	if key == "" || unicode.IsDigit(rune(key[0])) {
		key = "the" + key
	}
	return key
}

func isPlain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
