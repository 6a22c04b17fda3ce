//go:build e2e

package e2e

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// buildWriter makes the program that writes to etcd.
func buildWriter(t *testing.T) string { return buildProgram(t, "writer", "writer") }

// buildProgram makes one of test/machines, by another name, for any machine.
func buildProgram(t *testing.T, of, name string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	cmd := exec.Command("go", "build", "-o", program, "./test/machines/"+of)
	cmd.Dir, cmd.Env = engine.Root(), append(cmd.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// startWriter has a client write keys to the etcd that a stack's outputs tell
// of. Stopped, it says how it went: all that were acknowledged are there.
func startWriter(t *testing.T, writer string, outputs map[string]any, prefix string) (stop func() written) {
	t.Helper()
	text, err := json.Marshal(outputs)
	require.NoError(t, err)
	var stdout, stderr strings.Builder
	cmd := exec.Command(program, "shell", writer, "-outputs", secretFile(t, "outputs.json", string(text)), "-prefix", prefix)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it has not ended by then
	return func() written {
		t.Helper()
		require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, cmd.Wait(), stderr.String())
		return report(t, stdout.String())
	}
}

// whileWriting has a client write before, during and after what is done: etcd
// takes all, and loses nothing.
func (c *changing) whileWriting(t *testing.T, during func()) {
	t.Helper()
	prefix := "numbers/" + filepath.Base(t.Name()) + "/"
	stop := startWriter(t, c.writer, c.outputs, prefix)
	c.writesAnother(t, prefix)
	during()
	c.writesAnother(t, prefix)
	c.written += stop().wellGone(t)
}

// written is what a writer tells of.
type written struct {
	Acknowledged, Failed, Retries int
	LongestGap                    time.Duration
	Lost                          []int
}

// wellGone is how many were acknowledged, and wants none to have failed.
func (w written) wellGone(t *testing.T) int {
	t.Helper()
	assert.Zero(t, w.Failed, "trying again was enough")
	return w.Acknowledged
}

// report reads what a writer says in the end.
func report(t *testing.T, text string) (r written) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &r), text)
	t.Logf("%d writes acknowledged, %d failed, %d lost; %d tries were repeated; the longest time from one acknowledgement to the next: %s",
		r.Acknowledged, r.Failed, len(r.Lost), r.Retries, r.LongestGap.Round(10*time.Millisecond))
	assert.Empty(t, r.Lost, "what was acknowledged is there")
	return r
}
