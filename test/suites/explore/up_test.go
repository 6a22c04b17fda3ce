package explore

import (
	"strconv"
	"strings"
	"time"

	"github.com/pulumi-quorum/pulumi-quorum/test/harness/engine"
)

// up brings the program up, looks at what came of it, and does what an operator
// has to do after it.
func (t *trial) up(u up) engine.Result {
	limit, sick := patient, t.subject.sick()
	if sick {
		limit = t.shortly()
	}
	t.Program(t.subject.program(limit))
	t.Setenv("PULUMI_EXPERIMENTAL", "true")
	t.Setenv("PULUMI_SKIP_CHECKPOINTS", strconv.FormatBool(u.Meets != killAll)) // only a kill needs what is saved in between
	args := t.arguments(u)
	began, met := time.Now(), ""
	var soFar func(engine.Result) bool
	if u.Meets != "" {
		soFar = func(now engine.Result) bool { return len(now.Steps) >= u.Step }
	}
	r, _ := t.TryUntil(hangs, soFar, func(running engine.Running) {
		switch met = u.Meets; u.Meets {
		case killAll:
			running.Kill()
		case loseQuorum:
			running.Lose(engine.Quorum)
		case loseLibvirt:
			running.Lose(engine.FakeLibvirt)
		default:
			met = t.subject.meet(u)
		}
	}, "up", args...)
	if t.ups++; t.ups == 1 {
		t.founding = time.Since(began).Round(time.Second)
	}
	t.tell("pulumi up %s", strings.Join(args, " "))
	if met != "" {
		t.tell("  meanwhile, after %d operations: %s", u.Step, met)
	}
	t.tell("  %s in %s: %s", outcome(r), time.Since(began).Round(100*time.Millisecond), t.subject.told(r))
	t.clean(r)
	t.subject.safe(t, began)
	t.subject.written(t)
	if r.Err != nil {
		t.tidy(r, met)
	}
	if r.Err != nil && !sick && met == "" && u.How == "" && !refused(r) && !strings.Contains(r.Diagnostics, "already exists") {
		t.tell("  (no fault stood)")
	}
	return r
}
