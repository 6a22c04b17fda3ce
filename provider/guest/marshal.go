package guest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

const (
	// ApplyPath is where Apply lies on a machine.
	ApplyPath = "/usr/local/sbin/quorum-apply"
	// DrivePath is the file of the cloud-init drive that holds the State.
	DrivePath = "/var/lib/quorum/drive/state.json"
	// ArchivePath is the archive with both that OpenStack hands over, until Apply has put them in place: see forget.py.
	ArchivePath = DrivePath + ".tar.bz2"
)

// Marshal gives s as JSON for quorum-apply, with its generation filled in.
// The text is plain ASCII without tabs, so that it survives every YAML
// library on its way.
func (s State) Marshal() (text, generation string, err error) {
	s.Generation = ""
	if text, err = marshal(s); err != nil {
		return "", "", err
	}
	s.Generation = Hash(text)
	text, err = marshal(s)
	return text, s.Generation, err
}

// Archived is the content of a file as it goes into an archive: a State without the spaces between its values, and with the
// ends of lines in its strings as such, which compress better than their escapes. Apply reads both.
func Archived(path, content string) string {
	if path != DrivePath {
		return content
	}
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(content)); err != nil {
		return content
	}
	return strings.NewReplacer(`\\`, `\\`, `\n`, "\n").Replace(b.String())
}

// Hash is a short name for content.
func Hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func marshal(s State) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(s); err != nil {
		return "", fmt.Errorf("marshal state: %w", err)
	}
	return ascii(b.String()), nil
}

// ascii writes all beyond printable ASCII as JSON escapes. Outside of strings
// JSON has only printable ASCII and newlines.
func ascii(text string) string {
	var b bytes.Buffer
	for _, r := range text {
		switch {
		case r == '\n' || r >= ' ' && r < 0x7f:
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
