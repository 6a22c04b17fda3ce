package explore

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is the testing.TB of one sequence: what fails in it does not fail the
// test, since a sequence that shrinks fails many times.
type recorder struct {
	testing.TB
	context context.Context
	dir     string
	trial   *trial // that it is of

	lock     sync.Mutex
	cleanups []func()
	lines    []string
	failed   []string
}

// record calls do with a recorder, and cleans up after it.
func record(t testing.TB, do func(*recorder)) *recorder {
	t.Helper()
	dir, err := os.MkdirTemp("", "explore-")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	r := &recorder{TB: t, context: ctx, dir: dir}
	done := make(chan struct{})
	go func() { // FailNow ends it
		defer close(done)
		defer r.cleanup()
		defer cancel()
		do(r)
	}()
	<-done
	_ = os.RemoveAll(dir)
	return r
}

func (r *recorder) cleanup() {
	for _, do := range slices.Backward(r.cleanups) {
		do()
	}
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return r.context }
func (r *recorder) Cleanup(do func())        { r.cleanups = append(r.cleanups, do) }
func (r *recorder) Fail()                    { r.Error("failed") }
func (r *recorder) Error(args ...any)        { r.Errorf("%s", fmt.Sprint(args...)) }
func (r *recorder) FailNow()                 { r.Fail(); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)        { r.Error(args...); runtime.Goexit() }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.failed = append(r.failed, strings.TrimSpace(fmt.Sprintf(format, args...)))
}

func (r *recorder) Failed() bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	return len(r.failed) > 0
}

func (r *recorder) Log(args ...any) { r.Logf("%s", fmt.Sprint(args...)) }

func (r *recorder) Logf(format string, args ...any) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) TempDir() string {
	dir, err := os.MkdirTemp(r.dir, "")
	if err != nil {
		r.Fatal(err)
	}
	return dir
}
