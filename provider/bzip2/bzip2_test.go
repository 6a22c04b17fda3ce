package bzip2

import (
	"bytes"
	"compress/bzip2"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCompress has Go's library, and Python's, read what is written.
func TestCompress(t *testing.T) {
	t.Parallel()
	of := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1_000_000)
	for i := range noise {
		noise[i] = byte(of.Uint32())
	}
	for name, text := range map[string]string{
		"empty": "", "one byte": "a", "two": "ab", "a run": strings.Repeat("a", 4), "a long run": strings.Repeat("a", 2_000_000),
		"runs of all lengths": runs(), "a period": strings.Repeat("abc", 1000), "all bytes": string(noise[:5000]), "noise of two blocks": string(noise),
		"text": strings.Repeat("to be or not to be, ", 50) + "that is the question\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			packed := Compress([]byte(text))
			got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(packed)))
			require.NoError(t, err)
			assert.True(t, text == string(got))
			python := exec.CommandContext(t.Context(), "python3", "-c", "import bz2,sys; sys.stdout.buffer.write(bz2.decompress(sys.stdin.buffer.read()))")
			python.Stdin = bytes.NewReader(packed)
			said, err := python.Output()
			require.NoError(t, err)
			assert.True(t, text == string(said))
		})
	}
}

func runs() (all string) {
	for n := range 600 {
		all += strings.Repeat(string(rune('a'+n%2)), n)
	}
	return all
}

// TestAsSmall has no more than the original makes of the same text.
func TestAsSmall(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("huffman.go")
	require.NoError(t, err)
	original := exec.CommandContext(t.Context(), "python3", "-c", "import bz2,sys; print(len(bz2.compress(sys.stdin.buffer.read())), end='')")
	original.Stdin = bytes.NewReader(text)
	said, err := original.Output()
	require.NoError(t, err)
	most, err := strconv.Atoi(string(said))
	require.NoError(t, err)
	packed := len(Compress(text))
	assert.LessOrEqual(t, packed, most)
	assert.LessOrEqual(t, packed, len(text)/2)
}

// FuzzCompress has no text come back otherwise.
func FuzzCompress(f *testing.F) {
	f.Add([]byte("aaaaaaaaab"))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := io.ReadAll(bzip2.NewReader(bytes.NewReader(Compress(text))))
		require.NoError(t, err)
		require.True(t, bytes.Equal(text, got))
	})
}
