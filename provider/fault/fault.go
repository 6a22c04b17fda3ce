// Package fault turns a panic, which is a fault of this package and not of a
// user's program, into an error of the one step that it happened in.
//
// A panic that nobody recovers ends the process, and with it the steps of all
// other resources that are under way: what they made is then in no state.
package fault

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// Reports is where users report faults.
const Reports = "https://github.com/pulumi-quorum/pulumi-quorum/issues"

// Error is a panic that was recovered. Its text shows nothing of the panic,
// whose value may hold a secret.
type Error struct {
	value any
	calls string
}

func (e *Error) Error() string {
	return "stopped by a fault in the quorum package, not in your program. Please report it at " + Reports +
		". The option --debug of pulumi logs where it happened"
}

// Detail is what the panic said and the functions that it came through, for a
// log at debug level. Functions are named without their arguments, and redact
// takes out of the text of the panic what must not be shown.
func (e *Error) Detail(redact func(string) string) string {
	return fmt.Sprintf("panic: %s\n%s", redact(fmt.Sprint(e.value)), e.calls)
}

// Into recovers a panic into *err. It is to be deferred.
func Into(err *error) {
	if value := recover(); value != nil {
		*err = of(value)
	}
}

// Do calls f, and returns its error or that of its panic. It is for what runs
// in a goroutine of its own, or has begun something that its caller must note.
func Do(f func() error) (err error) {
	defer Into(&err)
	return f()
}

func of(value any) *Error {
	if known, is := value.(*Error); is { // of another goroutine
		return known
	}
	return &Error{value, calls()}
}

// In finds the fault in err.
func In(err error) (*Error, bool) {
	var found *Error
	return found, errors.As(err, &found)
}

// calls are the functions that led to a panic, the innermost first.
func calls() string {
	const most, own = 64, 5 // of runtime.Callers, calls, of, Into and the panic itself
	pcs := make([]uintptr, most)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(own, pcs)])
	var all strings.Builder
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		fmt.Fprintf(&all, "%s\n\t%s:%d\n", frame.Function, frame.File, frame.Line)
	}
	return all.String()
}
