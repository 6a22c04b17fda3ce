package fromterraform

import (
	"slices"
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

	Shared  bool   // whatever has this key already is meant
	Number  bool   // of the type integer
	Example string // of what people may set it to
	Source  string // From, and the state, however that is called today
}

// secrets are those of a program, by their keys.
type secrets struct{ all []Secret }

// add names a secret in the program. Another one of the same name gets another key.
func (s *secrets) add(secret Secret) reference {
	wish := secret.Key
	for n := 2; ; n++ {
		i := slices.IndexFunc(s.all, func(each Secret) bool { return each.Key == secret.Key })
		if i < 0 {
			s.all = append(s.all, secret)
			return reference(secret.Key)
		}
		if is := s.all[i]; secret.Shared || is.From == secret.From && is.Value == secret.Value && is.Plain == secret.Plain {
			return reference(secret.Key)
		}
		secret.Key = wish + "No" + digits(n)
	}
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
