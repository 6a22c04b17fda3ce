package explore

import (
	"flag"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// flags are rapid's, which has one seed for all that runs: it reads it before
// it draws.
var flags sync.Mutex

// explore runs as many sequences as are asked for, or as there is time for.
func explore(t *testing.T, most int, limit time.Duration, c choices, run func(*recorder, sequence)) {
	t.Helper()
	begun := time.Now()
	var next, ran, ups atomic.Int64
	var workers sync.WaitGroup
	for range settings.beside {
		workers.Go(func() {
			for !t.Failed() || most > 0 {
				i := int(next.Add(1)) - 1
				if most > 0 && i >= most || most == 0 && time.Since(begun) > limit {
					return
				}
				seed := settings.seed + i
				t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
					ran.Add(1)
					one(t, seed, c, run, &ups)
				})
			}
		})
	}
	workers.Wait()
	t.Logf("%d sequences with %d updates in %s", ran.Load(), ups.Load(), time.Since(begun).Round(time.Second))
}

// one draws a sequence and runs it, and smaller ones as long as they fail alike.
func one(t testing.TB, seed int, c choices, run func(*recorder, sequence), ups *atomic.Int64) {
	t.Helper()
	flags.Lock()
	free := sync.OnceFunc(flags.Unlock)
	defer free()
	if err := flag.Set("rapid.seed", strconv.Itoa(seed)); err != nil {
		t.Fatal(err)
	}
	known := map[string]*trial{} // rapid runs some more than once
	var found string
	begun := time.Now()
	rapid.Check(t, func(r *rapid.T) {
		free()
		s := c.sequences().Draw(r, "sequence")
		ran, is := known[s.String()]
		if !is && found != "" && time.Since(begun) > settings.shrink*3 {
			return // there is no time to try more
		}
		if !is {
			ran = record(t, func(rec *recorder) { run(rec, s) }).ended()
			known[s.String()] = ran
			t.Log("\n" + ran.report())
			ups.Add(int64(ran.ups))
			if found == "" {
				begun = time.Now()
			}
		}
		if ran.violation == "" || found != "" && ran.violation != found {
			return
		}
		found = ran.violation
		r.Fatalf("seed %d: %s", seed, found)
	})
}
