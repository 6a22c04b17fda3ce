package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Try runs a command that may fail. It is killed after a limit, which is an
// error too.
func (s *Stack) Try(limit time.Duration, command string, args ...string) Result {
	s.t.Helper()
	r, _ := s.TryUntil(limit, nil, nil, command, args...)
	return r
}

// Running is a command that runs.
type Running struct {
	stack *Stack
	running
}

// Kill kills the CLI and its plugins.
func (r Running) Kill() { r.stack.end(r.running) }

// Lose kills all processes of a plugin, if it runs.
func (r Running) Lose(plugin Plugin) {
	r.stack.t.Helper()
	program, err := plugin.Program()
	require.NoError(r.stack.t, err)
	family, err := descendants(r.cmd.Process.Pid)
	require.NoError(r.stack.t, err)
	r.stack.kill(slices.DeleteFunc(family, func(process int) bool {
		running, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", process))
		return err != nil || running != program
	})...)
}

// TryUntil is Try, and does something as soon as it has come so far, unless it
// ends before. Without soFar nothing is done.
func (s *Stack) TryUntil(limit time.Duration, soFar func(Result) bool, do func(Running), command string, args ...string) (r Result, done bool) {
	s.t.Helper()
	log := filepath.Join(s.t.TempDir(), "events")
	if command == "up" || command == "destroy" || command == "refresh" {
		args = append([]string{"--yes", "--skip-preview"}, args...)
	}
	u := running{s.command(append([]string{command, "--event-log", log}, args...)...), log, &strings.Builder{}}
	u.cmd.Stdout, u.cmd.Stderr = u.out, u.out
	require.NoError(s.t, u.cmd.Start())
	ended, late := make(chan error, 1), false
	var now Result
	events := eventLog{path: log}
	go func() { ended <- u.cmd.Wait() }()
	for end := time.Now().Add(limit); ; {
		select {
		case r.Err = <-ended:
			r.Stdout = u.out.String()
			if late {
				r.Err = fmt.Errorf("killed: it did not end within %s", limit)
			}
			if err := r.readEvents(log); err != nil && r.Err == nil {
				r.Err = err
			}
			return r, done
		case <-time.After(20 * time.Millisecond):
		}
		if soFar != nil && !done && events.follow(&now) == nil && soFar(now) {
			done = true
			do(Running{s, u})
		}
		if !late && time.Now().After(end) {
			late = true
			s.end(u)
		}
	}
}
