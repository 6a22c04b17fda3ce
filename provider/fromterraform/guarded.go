package fromterraform

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Texts that often have a secret in them, or are one, by their names and by what they say.
var (
	secretive = []string{
		"archive_command", "restore_command", "archive_cleanup_command", "recovery_end_command", "primary_conninfo", "ssl_passphrase_command",
	}
	secretName = regexp.MustCompile(`(?i)passw|passphrase|secret|token|credential|private|api_?key|access_?key|[_.]key$`)
	secretText = regexp.MustCompile(`(?i)(passw(or)?d|pwd|passphrase|secret|token|credentials?|[_-]key|auth|bearer)["']?\s*[=: ]\s*\S|://[^/@\s]*:[^/@\s]+@|\bAKIA[A-Z0-9]{12}|sig=`)
)

// mayBeSecret says whether a parameter has to be kept like a secret. Those that name files
// and kinds are none.
func mayBeSecret(name, value string) bool {
	switch name {
	case "password_encryption", "db_user_namespace", "ssl_key_file":
		return false
	}
	return value != "" && (slices.Contains(secretive, name) || secretName.MatchString(name) || secretText.MatchString(value))
}

// guard makes secrets of the texts of a resource that look like some, wherever they are:
// what people wrote into a document is not known.
func (p *program) guard(name string, n *yaml.Node, path ...string) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			p.guard(name, n.Content[i+1], append(slices.Clone(path), n.Content[i].Value)...)
		}
	case yaml.SequenceNode:
		for i, each := range n.Content {
			p.guard(name, each, append(slices.Clone(path), digits(i))...)
		}
	case yaml.ScalarNode:
		if n.Tag != "!!str" || strings.HasPrefix(n.Value, "-----BEGIN CERTIFICATE") || strings.HasPrefix(n.Value, "${") || !secretText.MatchString(n.Value) {
			return
		}
		key := p.secrets.add(Secret{
			Key: camel(append([]string{name}, path...)...), What: line(strings.Join(path, ".")) + ", which looks like a secret",
			From: "the user data of " + name + ", " + line(strings.Join(path, ".")), Value: strings.ReplaceAll(n.Value, "$$", "$"),
		})
		n.Value, n.Style = "${"+string(key)+"}", 0
	}
}
