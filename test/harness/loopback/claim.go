// Package loopback has ports and addresses of this machine for servers that tests
// start. No other test is given them, in this process or in another.
package loopback

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// claim takes a name for as long as the file is open, and this process runs. It is
// nil if another process, or this one, has it already.
func claim(t testing.TB, name string) *os.File {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(os.TempDir(), "quorum-"+name), os.O_CREATE|os.O_RDWR, 0o600)
	require.NoError(t, err)
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		require.NoError(t, file.Close())
		return nil
	}
	return file
}
