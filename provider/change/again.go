package change

import (
	"maps"
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

// happensAgain is what happens to a machine that is not new although what is known of it is: --replace
// names all that belongs to it, or it was taken out of the state.
type happensAgain struct {
	lines []string
	loss  *guest.Loss
}

// asMadeAgain is that, as far as it is seen without what was known. A preview does not know the ids of what is made.
func (a MachineArgs) asMadeAgain(when tense) happensAgain {
	switch {
	case !bool(when) || ptr.Value(a.MachineID) != "":
		return happensAgain{lines: []string{when.of("what happens to it is not known, since it is not known how it was", "what happened to it is not known, since it is not known how it was")}}
	case ptr.Value(a.Volume) == "": // it has no data
		return happensAgain{lines: []string{guest.Again}}
	case ptr.Value(a.DataID) != "":
		return happensAgain{lines: []string{guest.Again + dataKept}}
	}
	return happensAgain{[]string{guest.Again, guest.DataAgain}, &guest.Loss{On: ptr.Value(a.Volume), Again: true}}
}

// asBefore are these, where machines that were there before are not new.
func (m machines) asBefore(before ClusterArgs) machines {
	all := maps.Clone(m)
	for _, name := range before.machines() {
		if what := all[name]; what.isNew {
			what.isNew, what.lines, what.loss = false, what.again.lines, what.again.loss
			all[name] = what
		}
	}
	return all
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
