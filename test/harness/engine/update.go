package engine

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Preview says what an update would do.
func (s *Stack) Preview(args ...string) Result { s.t.Helper(); return s.ok(s.preview(args)) }

// Up updates the stack.
func (s *Stack) Up(args ...string) Result { s.t.Helper(); return s.ok(s.up(args)) }

// Refresh takes over what has changed in the world.
func (s *Stack) Refresh(args ...string) Result {
	s.t.Helper()
	return s.ok(s.operate("refresh", append(args, "--yes", "--skip-preview")))
}

// Destroy deletes everything.
func (s *Stack) Destroy(args ...string) Result {
	s.t.Helper()
	return s.ok(s.operate("destroy", append(args, "--yes", "--skip-preview")))
}

// PreviewFails is a preview that must fail.
func (s *Stack) PreviewFails(args ...string) Result { s.t.Helper(); return s.fails(s.preview(args)) }

// UpFails is an update that must fail.
func (s *Stack) UpFails(args ...string) Result { s.t.Helper(); return s.fails(s.up(args)) }

// DestroyFails is a destroy that must fail.
func (s *Stack) DestroyFails(args ...string) Result {
	s.t.Helper()
	return s.fails(s.operate("destroy", append(args, "--yes", "--skip-preview")))
}

// UpInterrupted is an update that gets the signal of Ctrl-C as soon as begun.
func (s *Stack) UpInterrupted(begun func() bool) {
	s.t.Helper()
	u := s.start(func(Result) bool { return begun() })
	require.NoError(s.t, u.cmd.Process.Signal(os.Interrupt))
	require.Error(s.t, u.cmd.Wait(), u.out.String())
}

// UpKilled is an update whose CLI and plugins are killed as soon as begun.
func (s *Stack) UpKilled(begun func(Result) bool) {
	s.t.Helper()
	u := s.start(begun)
	s.end(u)
	require.ErrorContains(s.t, u.cmd.Wait(), "signal: killed", u.out.String())
}

// UpLosing is an update that must fail, and end: all processes of a plugin are
// killed as soon as begun.
func (s *Stack) UpLosing(plugin Plugin, begun func(Result) bool) (r Result) {
	s.t.Helper()
	u := s.start(begun)
	program, err := plugin.Program()
	require.NoError(s.t, err)
	family, err := descendants(u.cmd.Process.Pid)
	require.NoError(s.t, err)
	lost := slices.DeleteFunc(family, func(process int) bool {
		running, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", process))
		return err != nil || running != program
	})
	require.NotEmpty(s.t, lost)
	s.kill(lost...)
	hangs := time.AfterFunc(2*time.Minute, func() { s.end(u) })
	r.Err = u.cmd.Wait()
	require.True(s.t, hangs.Stop(), "it hangs: %s", u.out)
	require.NoError(s.t, r.readEvents(u.log), u.out)
	return s.fails(r)
}

// running is an update that runs.
type running struct {
	cmd *exec.Cmd
	log string
	out *strings.Builder
}

// comesSoFar bounds what an update does before it is to be killed: an emulated
// machine may have to boot twice.
const comesSoFar = 30 * time.Minute

// start starts an update, and returns as soon as begun.
func (s *Stack) start(begun func(Result) bool) running {
	s.t.Helper()
	log := filepath.Join(s.t.TempDir(), "events")
	u := running{s.command("up", "--yes", "--skip-preview", "--event-log", log), log, &strings.Builder{}}
	u.cmd.Stdout, u.cmd.Stderr = u.out, u.out
	require.NoError(s.t, u.cmd.Start())
	var r Result
	events := eventLog{path: log}
	for end := time.Now().Add(comesSoFar); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if events.follow(&r) == nil && begun(r) {
			return u
		}
	}
	s.end(u)
	_ = u.cmd.Wait() // it was killed
	require.FailNow(s.t, "it does not come so far", u.out.String())
	return u
}

// end kills the CLI and its plugins, each of which is a process group of its own.
func (s *Stack) end(u running) {
	s.t.Helper()
	family, err := descendants(u.cmd.Process.Pid)
	assert.NoError(s.t, err)
	s.kill(append(family, u.cmd.Process.Pid)...)
}

func (s *Stack) kill(processes ...int) {
	s.t.Helper()
	for _, process := range processes {
		if err := syscall.Kill(process, syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) {
			assert.NoError(s.t, err)
		}
	}
}

// Unlock takes away the lock that an update left which was killed.
func (s *Stack) Unlock() { s.t.Helper(); s.must("cancel", "--yes") }

func (s *Stack) preview(args []string) Result { return s.operate("preview", args) }

func (s *Stack) up(args []string) Result {
	return s.operate("up", append(args, "--yes", "--skip-preview"))
}

func (s *Stack) operate(command string, args []string) Result {
	s.t.Helper()
	log := filepath.Join(s.t.TempDir(), "events")
	var r Result
	r.Stdout, r.Stderr, r.Err = s.Run(append([]string{command, "--event-log", log}, args...)...)
	require.NoError(s.t, r.readEvents(log), "%s%s", r.Stdout, r.Stderr)
	return r
}

func (s *Stack) ok(r Result) Result {
	s.t.Helper()
	require.NoError(s.t, r.Err, "%s%s", r.Stdout, r.Stderr)
	return r
}

func (s *Stack) fails(r Result) Result {
	s.t.Helper()
	require.Error(s.t, r.Err, "%s%s", r.Stdout, r.Stderr)
	return r
}
