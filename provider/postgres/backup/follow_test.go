package backup

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFollowCommandWithoutItsProgram has a node be given the command before the program: PostgreSQL goes on at a status of 1,
// and ends at 127, which is the shell's for a program that is not there.
func TestFollowCommandWithoutItsProgram(t *testing.T) {
	t.Parallel()
	command := Config{Follows: &Source{Stanza: "main"}, Volume: "/var/lib/postgresql"}.FollowCommand()
	command = strings.NewReplacer(follow, "/no/such/program", "%f", "000000010000000000000001", "%p", "pg_wal/RECOVERYXLOG").Replace(command)
	var failed *exec.ExitError
	require.ErrorAs(t, exec.CommandContext(t.Context(), "sh", "-c", command).Run(), &failed)
	require.Equal(t, 1, failed.ExitCode())
}
