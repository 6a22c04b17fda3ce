package fromterraform

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPasswordsOfTheConsole are the admin's own, and in the clear.
func TestPasswordsOfTheConsole(t *testing.T) {
	t.Parallel()
	const users = "#cloud-config\nusers: [default, {name: ops, ssh_authorized_keys: [x]}]\n"
	for text, want := range map[string][2]string{
		"chpasswd: {list: \"ops:secret\\nroot:other\\n\"}":           {"secret", ""},
		"chpasswd: {list: [\"ops:se:cret\", \"root:other\"]}":        {"se:cret", ""},
		"chpasswd: {list: \"ops:$6$abc$hashhash\\n\"}":               {"", "the state has only its hash"},
		"chpasswd: {list: \"ops:$ecret\"}":                           {"$ecret", ""},
		"chpasswd: {list: \"ops:R\"}":                                {"", "cloud-init chose it"},
		"chpasswd: {users: [{name: ops, type: RANDOM}]}":             {"", "cloud-init chose it"},
		"chpasswd: {users: [{name: ops, password: \"$6$a$b\"}]}":     {"", "the state has only its hash"},
		"chpasswd: {users: [{name: ops, password: a, type: text}]}":  {"a", ""},
		"chpasswd: {users: [{name: root, password: a, type: text}]}": {"", ""},
		"x: y": {"", ""},
	} {
		d, err := readDocuments("there", users+text)
		assert.NoError(t, err)
		a := (&inventory{}).admin(&Machine{Documents: d})
		assert.Equal(t, want, [2]string{a.password, a.noPassword}, text)
	}
}
