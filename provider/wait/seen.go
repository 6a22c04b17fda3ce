package wait

import (
	"context"
	"maps"
	"time"
)

// SeenTrigger is a trigger that no program has: what lacked when a refresh
// looked. So the next update waits for it, also where all that does is to start
// a machine.
const SeenTrigger = "seen"

// IsSeen reports whether a path of a gate's inputs is that trigger's.
func IsSeen(path string) bool { return path == "triggers."+SeenTrigger }

// slow is for how long something may lack before a refresh notes it: a leader
// that has just changed, or a machine that is busy, is no reason to wait.
const slow = 10 * time.Second

// Seen are triggers with what a refresh saw, if anything lacked.
func Seen(triggers map[string]string, what string) map[string]string {
	triggers = maps.Clone(triggers)
	delete(triggers, SeenTrigger)
	if what == "" {
		return triggers
	}
	if triggers == nil {
		triggers = map[string]string{}
	}
	triggers[SeenTrigger] = what
	return triggers
}

// Again looks until nothing lacks, or something did for a while.
func Again(ctx context.Context, lacks func() bool) {
	for begun := time.Now(); lacks() && time.Since(begun) <= slow && Sleep(ctx, time.Second); {
	}
}

// Sleep reports whether it was not cut short.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
