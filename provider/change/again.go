package change

import (
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
	"github.com/pulumi-quorum/pulumi-quorum/provider/ptr"
)

// again adds to what is said of a machine that it, or its data volume, is made again although no
// input asks for it: it is gone, or --replace names it. A preview does not know the id of one that
// is to be made. One that it knows, and that is another, was made in an earlier update.
func (a MachineArgs) again(before MachineArgs, lines []string, when tense) []string {
	made := func(before, now *string) bool {
		was, is := ptr.Value(before), ptr.Value(now)
		return was != "" && was != is && (is == "" || !bool(when))
	}
	if !made(before.MachineID, a.MachineID) || len(a.Effects) == 0 {
		return lines
	}
	_, had := before.Effects[guest.DataAnew] // or its root volume had the data
	_, has := a.Effects[guest.DataAnew]
	own := had && has
	switch empty := made(before.DataID, a.DataID); {
	case slices.ContainsFunc(lines, isRebuilt) && (!own || !empty || slices.Contains(lines, guest.DataAnew)):
		return lines
	case slices.ContainsFunc(lines, isRebuilt): // for reasons of their own
		return append(withoutData(lines), guest.DataAgain)
	case empty:
		return []string{guest.Again, guest.DataAgain}
	}
	if bool(when) { // once it is made, a volume of libvirt has the id of the one before
		return withData([]string{guest.Again}, before.Effects, a.Effects)
	}
	return []string{guest.Again}
}

// loss is what happens to the data of a machine: another volume is to have them, or theirs is made again.
func (a MachineArgs) loss(before MachineArgs, lines []string) *guest.Loss {
	if loss := before.stored().Loss(a.stored()); loss != nil || !slices.Contains(lines, guest.DataAgain) {
		return loss
	}
	return &guest.Loss{On: ptr.Value(before.Volume), Again: true}
}

// isRebuilt reports whether a line says that the machine, or what libvirt has of it, is made anew.
func isRebuilt(line string) bool {
	return strings.HasPrefix(line, guest.Rebuild) || line == guest.PowerOff
}

func isAgain(line string) bool {
	return strings.HasPrefix(line, guest.Again) || line == guest.DataAgain
}

// onlyAgain reports whether this is all that is said of a machine.
func onlyAgain(lines []string) bool {
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(line string) bool { return !isAgain(line) })
}

// onlyAgain reports whether this is all that happens.
func (m machines) onlyAgain() bool {
	for _, what := range m {
		if !onlyAgain(what.lines) {
			return false
		}
	}
	return len(m) > 0
}
