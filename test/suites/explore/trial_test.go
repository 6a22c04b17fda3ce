package explore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// trial is a sequence that runs: the operator in front of a stack.
type trial struct {
	*engine.Stack
	tb      *recorder
	subject subject

	ups       int
	founding  time.Duration // how long the first update took
	told      []string      // the sequence as it went
	violation string        // what may never be, in words that are the same for another run
	detail    string
	before    []func() // ways back to the programs that were brought up, as far as possible
}

// subject is the cluster that a trial is about.
type subject interface {
	program(limit time.Duration) string
	// edit changes the program, and says how, or "" if it does not apply.
	edit(e event) string
	// keep gives a way back to the program as it is.
	keep() (back func())
	// fault brings a fault about, and says which, or "".
	fault(e event) string
	// meet does what is to happen in the middle of an update, but for kills.
	meet(u up) string
	// mend ends all faults.
	mend()
	// sick tells whether a fault stands.
	sick() bool
	// written checks that what was acknowledged is there.
	written(t *trial)
	// safe checks what an update did that began at a time.
	safe(t *trial, began time.Time)
	// told is what is worth telling of an update.
	told(r engine.Result) string
	// whole checks that the cluster is what the program says.
	whole(t *trial)
}

// How long one update may wait for machines, and run in all, on a computer that
// is busy.
const (
	patient = 5 * time.Minute
	hangs   = 20 * time.Minute
)

// shortly is how long where a fault stands, that the gates may wait for in vain:
// what a whole cluster has needed, which is twelve seconds where nothing else runs.
func (t *trial) shortly() time.Duration { return min(max(t.founding, 12*time.Second), time.Minute) }

// meets are what an update may meet. The trial itself does the first ones.
const (
	killAll      = "the CLI and its plugins are killed"
	loseQuorum   = "the quorum provider is killed"
	loseLibvirt  = "the libvirt provider is killed"
	withRefresh  = "--refresh"
	replaceFirst = "--replace"
	targetOne    = "--target"
)

// errStop ends a sequence at its first violation.
var errStop = errors.New("a violation")

func (t *trial) tell(format string, args ...any) {
	t.told = append(t.told, fmt.Sprintf(format, args...))
}

// violate ends the sequence.
func (t *trial) violate(what, detail string, args ...any) {
	t.violation, t.detail = what, fmt.Sprintf(detail, args...)
	panic(errStop)
}

// stop ends what a violation ended; it is deferred.
func (t *trial) stop() {
	r := recover()
	if err, is := r.(error); r != nil && (!is || !errors.Is(err, errStop)) {
		panic(r)
	}
}

// run has the sequence happen.
func (t *trial) run(s sequence) {
	t.tell("a cluster of %d", s.Size)
	t.up(s.First)
	for _, round := range s.Rounds {
		t.round(round)
	}
	t.converge()
}

func (t *trial) round(r round) {
	if r.Mend && t.subject.sick() {
		t.subject.mend()
		t.tell("all faults are mended")
	}
	for _, f := range r.Faults {
		if what := t.subject.fault(f); what != "" {
			t.tell("fault: %s", what)
		}
	}
	back := t.subject.keep()
	for _, e := range r.Edits {
		if what := t.subject.edit(e); what != "" {
			t.tell("program: %s", what)
		}
	}
	if result := t.up(r.Up); refused(result) {
		t.tell("the program is what it was")
		back()
	} else {
		t.before = append(t.before, back)
	}
}

// last takes the way back to the program before, if there is one.
func (t *trial) last() (back func()) {
	if n := len(t.before); n > 0 {
		back, t.before = t.before[n-1], t.before[:n-1]
	}
	return back
}

// converge mends all, and has at most two updates end with a third that changes
// nothing.
func (t *trial) converge() {
	t.subject.mend()
	t.tell("all faults are mended")
	for i := 0; i < 3; i++ {
		how := up{}
		if i == 0 {
			how.How = withRefresh
		}
		r := t.up(how)
		if refused(r) { // by what could not be seen while a fault stood
			if back := t.last(); back != nil {
				t.tell("the program is what it was before")
				back()
				i = -1
				continue
			}
		}
		if i < 2 && r.Err != nil {
			continue
		}
		switch {
		case r.Err != nil:
			t.violate("updates do not end well though no fault stands", "%s", r.Diagnostics)
		case r.Unchanged():
			t.subject.whole(t)
			return
		}
		if i == 2 {
			t.violate("updates always find something to change", "%v", r.Steps)
		}
	}
}

// ended is the trial, with what failed in the harness itself if nothing else did.
func (r *recorder) ended() *trial {
	t := r.trial
	if t == nil { // it did not begin
		t = &trial{}
	}
	if t.violation == "" && len(r.failed) > 0 {
		t.violation, t.detail = "the test itself failed", strings.Join(r.failed, "\n")
	}
	if t.violation != "" {
		t.detail += "\n" + strings.Join(r.lines, "\n")
	}
	return t
}

func (t *trial) report() string {
	text := strings.Join(t.told, "\n")
	if t.violation != "" {
		text += "\nVIOLATION: " + t.violation + "\n" + t.detail
	}
	return text
}
