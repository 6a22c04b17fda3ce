package guest_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// FuzzMarshal requires any text to survive, as printable ASCII.
func FuzzMarshal(f *testing.F) {
	for _, s := range []string{"", "a\tb", "a\n\\n\\\nb", "é😀", "\x00\x1f\x7f\u0085\u2028\ufeff", `"\`, "<&>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			t.Skip("Pulumi's strings are UTF-8")
		}
		text, _, err := guest.State{Machine: s, Files: []guest.File{guest.Private("/x", "root", s)}}.Marshal()
		require.NoError(t, err)
		require.NotContains(t, text, "\t")
		require.Equal(t, -1, strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }))
		var got guest.State
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		require.Equal(t, s, got.Files[0].Content)
		archived := guest.Archived(guest.DrivePath, text)
		require.Equal(t, text, guest.Archived("/other", text))
		require.NotContains(t, strings.ReplaceAll(archived, `\\`, ""), `\n`)
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(text)))
		require.Equal(t, compact.String(), escapedInStrings(archived))
	})
}

// escapedInStrings has the ends of lines between quotation marks escaped again.
func escapedInStrings(text string) string {
	return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAllStringFunc(text, func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) })
}

func TestGeneration(t *testing.T) {
	t.Parallel()
	generation := func(s guest.State) string {
		text, _, err := s.Marshal()
		require.NoError(t, err)
		var got guest.State
		require.NoError(t, json.Unmarshal([]byte(text), &got))
		return got.Generation
	}
	one := guest.State{Machine: "a", Files: []guest.File{guest.Public("/x", "1")}}
	two := guest.State{Machine: "a", Files: []guest.File{guest.Public("/x", "2")}}
	require.Equal(t, generation(one), generation(one))
	require.NotEqual(t, generation(one), generation(two))
}
