package fromterraform

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const document = `#cloud-config
write_files:
  - {path: /a, content: "text of a\n"}
  - {path: /b, encoding: b64, content: dGV4dCBvZiBi}
  - {path: /c, encoding: gz+b64, content: not packed}
  - {path: /d, encoding: no such, content: x}
runcmd:
  - first
  - [second, of, words]
`

func packed(t testing.TB, text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func parts(documents ...string) string {
	text := "Content-Type: multipart/mixed; boundary=\"EDGE\"\nMIME-Version: 1.0\r\n\r\n"
	for _, each := range documents {
		text += "--EDGE\r\nContent-Transfer-Encoding: 7bit\r\nContent-Type: text/cloud-config\r\nMime-Version: 1.0\r\n\r\n" + each + "\r\n"
	}
	return text + "--EDGE--\r\n"
}

// TestDocuments reads them however they are packed.
func TestDocuments(t *testing.T) {
	t.Parallel()
	inBase64 := "Content-Type: multipart/mixed; boundary=X\n\n--X\nContent-Transfer-Encoding: base64\n\n" + b64(document) + "\n--X--\n"
	for name, text := range map[string]string{
		"plain": document, "base64": b64(document), "packed": packed(t, document), "openstack": b64(packed(t, parts("#!/bin/sh\n", document))),
		"parts": parts(document), "lines": strings.Join(strings.Split(b64(document), "A"), "A\n"), "base64 in a part": inBase64, "parts in parts": parts(parts(document)),
	} {
		d, err := readDocuments("there", text)
		require.NoError(t, err, name)
		assert.Equal(t, map[string]string{"/a": "text of a\n", "/b": "text of b"}, d.Files, name)
		assert.Equal(t, []string{"first", "second of words"}, d.Commands, name)
	}
}

// TestBadDocuments shows nothing of what is in there.
func TestBadDocuments(t *testing.T) {
	t.Parallel()
	deep := document
	for range 2 * deepest {
		deep = b64(packed(t, deep))
	}
	for text, want := range map[string]string{
		"":                                    "no document",
		"#!/bin/sh\nhunter2\n":                "no document",
		"#cloud-config\npassword: *hunter2\n": "is not YAML",
		"#cloud-config\na: b: hunter2\n":      "is not YAML, at or after line 2",
		"\x1f\x8bhunter2":                     "not well packed",
		packed(t, document)[:40]:              "not well packed",
		"Content-Type: multipart/mixed\n\nhunter2":        "not a well-formed message",
		"Content-Type: \x00\n\nhunter2":                   "not a well-formed message",
		packed(t, strings.Repeat(" ", largestDocument+1)): "larger than 16 MiB",
		deep: "too deep",
	} {
		_, err := readDocuments("there", text)
		require.Error(t, err)
		assert.Contains(t, err.Error(), want)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

// TestPasswordsAsTheyAreRead takes no password that YAML reads otherwise.
func TestPasswordsAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"secret": "secret", `"0123"`: "0123", "'yes'": "yes", "12345": "12345", "pass#word": "pass#word",
		"0123": "", "yes": "", "1e3": "", "0x10": "", "~": "", "12:30": "", "'12:30'": "12:30", "Off": "", "1_0": "", "[a]": "", "true": "", "2026-01-01": "", "'': 1": "",
	} {
		s, err := parse("p: " + text)
		if err != nil {
			continue
		}
		password, why := sure(s.in("p"))
		assert.Equal(t, want, password, text)
		if s.in("p").text() != "" && want == "" {
			assert.NotEmpty(t, why, text)
		}
	}
}

// TestRootPasswordOfBash takes none that bash would read otherwise.
func TestRootPasswordOfBash(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"simple": "simple", "a b'c!": "a b'c!", "a$b": "", "a`b": "", `a\b`: "", "": ""} {
		e := &member{Machine: &Machine{}, auth: `etcdctl user add --new-user-password="` + text + `" root`}
		password, why := e.rootPassword()
		assert.Equal(t, want, password)
		assert.Equal(t, want == "", why != "")
	}
}

// TestNaturalOrder has machine-2 before machine-10.
func TestNaturalOrder(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"a-2", "a-10"}, {"a-2", "a-02x"}, {"", "a"}, {"a", "b"}, {"a", "a1"}, {"3.5.9", "3.5.26"}} {
		assert.Negative(t, natural(pair[0], pair[1]), pair)
		assert.Positive(t, natural(pair[1], pair[0]), pair)
	}
	assert.Zero(t, natural("a-1", "a-1"))
}
