package explore

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

func outcome(r engine.Result) string {
	switch {
	case r.Err == nil && r.Unchanged():
		return "nothing changed"
	case r.Err == nil:
		return "done"
	case refused(r):
		return "refused: " + first(refusals.FindString(r.Diagnostics))
	}
	return "failed: " + first(wrong.FindString(r.Diagnostics))
}

var wrong = regexp.MustCompile(`error: [^\n]*\n?[^\n]*`)

func first(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	return text[:min(len(text), 400)]
}

// leaks are what no output may have.
var leaks = regexp.MustCompile(`PRIVATE KEY|#cloud-config|write_files:|root-password-of-test`)

// panics are traces of Go, and what the provider makes of its own.
var panics = regexp.MustCompile(`(?m)^panic:|^goroutine \d+ \[|runtime error:|\.go:\d+ \+0x|stopped by a fault in the quorum package`)

// spoiled is what the engine says, seldom and after an update with --target, of a state
// that it has just written: a resource comes before one that it depends on.
const spoiled = "The Pulumi CLI encountered a snapshot integrity error"

// clean checks what the CLI said.
func (t *trial) clean(r engine.Result) {
	text := r.Stdout + r.Stderr + r.Diagnostics
	if strings.Contains(text, spoiled) {
		text = text[:strings.Index(text, spoiled)]
	}
	if found := panics.FindString(text); found != "" {
		t.violate("a panic", "%s", text)
	}
	if found := leaks.FindString(text); found != "" {
		t.violate("a secret in the output", "%s in %s", found, text)
	}
	if strings.Contains(fmt.Sprint(r.Err), "did not end within") {
		t.violate("an update that does not end", "%s", tail(r.Stdout))
	}
}

func tail(text string) string { return text[max(0, len(text)-3000):] }
