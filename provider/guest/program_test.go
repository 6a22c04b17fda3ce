package guest_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// same compares two programs, but for what explains them.
const same = `
import ast, sys
def tree(path):
    found = ast.parse(open(path, encoding="utf-8").read())
    for node in ast.walk(found):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Module)) and ast.get_docstring(node) is not None and len(node.body) > 1:
            del node.body[0]
    return ast.dump(found)
sys.exit(tree(sys.argv[1]) != tree(sys.argv[2]))
`

// TestPrograms compares what machines are handed with the programs here.
func TestPrograms(t *testing.T) {
	t.Parallel()
	found := 0
	require.NoError(t, filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, "/fakes/") || strings.HasPrefix(entry.Name(), "test_") {
			return err
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if !strings.HasPrefix(string(text), "#!/usr/bin/python3\n") {
			return nil
		}
		found++
		handed := filepath.Join(t.TempDir(), "handed")
		require.NoError(t, os.WriteFile(handed, []byte(guest.Program("/x", string(text)).Content), 0o600))
		said, err := exec.CommandContext(t.Context(), "python3", "-c", same, path, handed).CombinedOutput()
		assert.NoErrorf(t, err, "%s is another program on machines: %s", path, said)
		return nil
	}))
	assert.Greater(t, found, 6)
}

// TestOneNameIsOneThing refuses modules of which one would take the other's functions.
func TestOneNameIsOneThing(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"main.py":  {Data: []byte("\"\"\"Runs.\"\"\"\nfrom quorum_test.other import place\n\nLIMIT, PLACE = 1, 2\n")},
		"other.py": {Data: []byte("\"\"\"Another.\"\"\"\n\n\ndef place():\n    return 1\n")},
	}
	assert.Contains(t, guest.Assemble(files), "def place()")
	files["other.py"].Data = append(files["other.py"].Data, "\n\nPLACE = 3\n"...)
	assert.PanicsWithValue(t, "main and other both define PLACE", func() { guest.Assemble(files) })
}
