package explore

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// sequence is what is drawn: a cluster and what happens to it.
type sequence struct {
	Size   int
	First  up
	Rounds []round
}

// round is: faults end, others come, the program changes, and it is brought up.
type round struct {
	Mend   bool
	Faults []event
	Edits  []event
	Up     up
}

// event is a fault, or a change of the program. At is the member that it is
// about, counted on from the first.
type event struct {
	What string
	At   int
}

// up is one run of the CLI.
type up struct {
	How   string // further arguments, of those in ways
	Meets string // what happens in the middle of it, of those in meets
	At    int    // and to whom
	Step  int    // when that many operations have begun
}

func (s sequence) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cluster of %d\nup %s\n", s.Size, s.First)
	for _, r := range s.Rounds {
		if r.Mend {
			b.WriteString("mend all\n")
		}
		for _, f := range r.Faults {
			fmt.Fprintf(&b, "fault: %s\n", f)
		}
		for _, e := range r.Edits {
			fmt.Fprintf(&b, "program: %s\n", e)
		}
		fmt.Fprintf(&b, "up %s\n", r.Up)
	}
	return b.String()
}

func (e event) String() string { return fmt.Sprintf("%s (%d)", e.What, e.At) }

func (u up) String() string {
	text := u.How
	if u.Meets != "" {
		text += fmt.Sprintf(" [%s (%d) after %d operations]", u.Meets, u.At, u.Step)
	}
	return strings.TrimSpace(text)
}

// choices are what sequences are drawn from. What stands twice comes twice as
// often; what stands first is what a sequence shrinks to.
type choices struct {
	sizes                      []int
	faults, edits, ways, meets []string
	rounds, mostAt             int
}

// sequences draws one.
func (c choices) sequences() *rapid.Generator[sequence] {
	return rapid.Custom(func(t *rapid.T) sequence {
		return sequence{
			Size:   rapid.SampledFrom(c.sizes).Draw(t, "size"),
			First:  up{Meets: seldom(t, c.meets, 3), At: c.at(t), Step: step(t)},
			Rounds: rapid.SliceOfN(rapid.Custom(c.round), 1, c.rounds).Draw(t, "rounds"),
		}
	})
}

func (c choices) round(t *rapid.T) round {
	return round{
		Mend:   rapid.Bool().Draw(t, "mend"),
		Faults: c.events(t, c.faults, 0, 2),
		Edits:  c.events(t, c.edits, 1, 2),
		Up:     up{How: seldom(t, c.ways, 1), Meets: seldom(t, c.meets, 2), At: c.at(t), Step: step(t)},
	}
}

func (c choices) events(t *rapid.T, among []string, least, most int) []event {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
		return event{rapid.SampledFrom(among).Draw(t, "what"), c.at(t)}
	}), least, most).Draw(t, "events")
}

// seldom is one of among when so many coins all fall on one side, else none.
func seldom(t *rapid.T, among []string, coins int) string {
	what := rapid.SampledFrom(among).Draw(t, "what")
	for range coins {
		if !rapid.Bool().Draw(t, "coin") {
			return ""
		}
	}
	return what
}

// steps are after how many operations something happens in the middle of an
// update: numbers that are drawn from a range are mostly small ones.
var steps = []int{1, 3, 6, 9, 12, 16, 20, 25, 30, 40}

func step(t *rapid.T) int           { return rapid.SampledFrom(steps).Draw(t, "step") }
func (c choices) at(t *rapid.T) int { return rapid.IntRange(0, c.mostAt).Draw(t, "at") }
