// Package explore has random programs meet random faults, with the real engine
// and real etcd, Patroni and PostgreSQL on a made-up libvirt, while a client
// writes. What may never be is looked for after each step.
//
// A sequence is drawn first and then run, so that it can be told as text, made
// again from its seed, and shrunk.
package explore

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// settings of a run, by the environment; see CONTRIBUTING.md.
var settings = struct {
	etcd, postgres int           // sequences; 0 for as many as there is time for
	seed           int           // of the first
	beside         int           // sequences side by side
	time           time.Duration // that sequences may begin in: those of etcd, and in half of it those of PostgreSQL
	shrink         time.Duration // of one sequence
}{
	number("EXPLORE_ETCD", 0), number("EXPLORE_POSTGRES", 0), number("EXPLORE_SEED", 1), number("EXPLORE_BESIDE", 4),
	time.Duration(number("EXPLORE_SECONDS", 70)) * time.Second, time.Duration(number("EXPLORE_SHRINK_SECONDS", 60)) * time.Second,
}

func number(variable string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(variable)); err == nil {
		return n
	}
	return otherwise
}

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{
		"rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": settings.shrink.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}
