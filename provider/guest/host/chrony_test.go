package host

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChronySetsAWrongClock(t *testing.T) {
	for name, c := range map[string]struct {
		given *Makestep
		want  string
	}{
		"as the distributions do":   {nil, "makestep 1 3\n"},
		"as it is told":             {&Makestep{Threshold: 0.5, Limit: -1}, "makestep 0.5 -1\n"},
		"never, because it is told": {&Makestep{Threshold: 1}, "makestep 1 0\n"},
	} {
		t.Run(name, func(t *testing.T) {
			conf := (&Chrony{Servers: []TimeSource{{URL: "10.77.0.1"}}, Makestep: c.given}).conf()
			assert.Contains(t, conf, c.want)
		})
	}
}

func TestChronyAsksAtOnce(t *testing.T) {
	conf := (&Chrony{
		Servers: []TimeSource{{URL: "10.77.0.1"}, {URL: "10.77.0.2", Options: []string{"minpoll 4"}}},
		Pools:   []TimeSource{{URL: "pool.example.org"}, {URL: "other.example.org", Options: []string{}}},
	}).conf()
	assert.Contains(t, conf, "server 10.77.0.1 iburst\nserver 10.77.0.2 minpoll 4\npool pool.example.org iburst\npool other.example.org\n")
}
