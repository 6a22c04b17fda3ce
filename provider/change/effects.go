package change

import (
	"maps"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/guest"
)

// Said is what differs, but for what is part of something greater: a machine
// rebuilt has nothing that restarts.
func Said(before, now map[string]string) []string {
	if len(now) == 0 {
		return []string{"the effect depends on values that are not known yet"}
	}
	either := maps.Clone(before)
	maps.Copy(either, now)
	var lines []string
	for _, effect := range slices.Sorted(maps.Keys(either)) {
		if line, is := occurs(effect, before, now); is {
			lines = append(lines, line)
		}
	}
	for _, most := range []string{guest.Anew, guest.MoreRoom} { // whatever else asks for it
		if slices.Contains(lines, most) {
			lines = slices.DeleteFunc(lines, func(line string) bool { return line != most && strings.HasPrefix(line, guest.Anew) })
		}
	}
	for _, greater := range []string{guest.Rebuild, guest.PowerOff} {
		if some := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, greater) }); len(some) > 0 {
			if greater == guest.PowerOff && slices.Contains(lines, guest.DataGrows) {
				some = append(some, guest.DataGrows)
			}
			return withData(some, before, now)
		}
	}
	slices.Reverse(lines) // the greatest first
	all := slices.Clone(lines)
	return slices.DeleteFunc(lines, func(line string) bool { // what restarts reads all anew
		service, reloads := strings.CutSuffix(strings.TrimPrefix(line, guest.Live), " reloads")
		return reloads && slices.Contains(all, guest.Restart+service)
	})
}

// occurs is what is said of an effect, if it occurs.
func occurs(effect string, before, now map[string]string) (line string, is bool) {
	old, had := before[effect]
	text, has := now[effect]
	made := !had && (strings.HasPrefix(effect, guest.Rebuild) || // a volume that is made takes no other's place
		effect == guest.LoginChange || effect == guest.ResolversChange) // or it is the release that is another
	switch {
	case made:
		return "", false
	case effect == guest.DataAnew && guest.Grew(old, text):
		return guest.DataGrows, true
	case effect == guest.MoreRoom && guest.Grew(old, text):
		return effect, true
	case has && guest.GoesBack(old, text):
		return guest.NoPatchDay, true
	case had == has && guest.Unchanged(old, text):
		return "", false
	}
	return shown(effect, had && !has), true
}

const (
	dataKept         = " (its data volume is kept)"
	dataKeptAndGrows = " (its data volume is kept, and grows)"
)

// withoutData takes back what is said of a data volume that stays.
func withoutData(lines []string) (all []string) {
	for _, line := range lines {
		if line != guest.DataGrows {
			all = append(all, strings.TrimSuffix(strings.TrimSuffix(line, dataKept), dataKeptAndGrows))
		}
	}
	return all
}

// withData says of a machine that is made anew that its data volume is not, and whether that grows.
func withData(lines []string, before, now map[string]string) []string {
	was, had := before[guest.DataAnew]
	is, has := now[guest.DataAnew]
	if !had || !has || !guest.Unchanged(was, is) {
		return lines
	}
	kept := dataKept
	if guest.Grew(was, is) || guest.Grew(before[guest.MoreRoom], now[guest.MoreRoom]) && !slices.Contains(lines, guest.MoreRoom) {
		kept = dataKeptAndGrows
	}
	for i, line := range lines {
		if strings.HasPrefix(line, guest.Anew) {
			lines[i] += kept
		}
	}
	return lines
}

// inWords are effects as they are shown, where states know them by a name that says less.
var inWords = map[string]string{
	guest.PackagesChange:  guest.Live + "missing packages are installed, others stay as they are",
	guest.AccountsChange:  guest.Live + "missing users and directories are made",
	guest.AutostartChange: guest.Live + "whether it is started, now and with its host; a machine that runs is not stopped",
}

// isDeleted ends what is said of a file that goes.
const isDeleted = " is deleted"

// shown is an effect as a person reads it. What is gone is taken from the machine: files, services.
func shown(effect string, gone bool) string {
	if words, has := inWords[effect]; has {
		return words
	}
	_, isFile := strings.CutPrefix(effect, guest.Live+"the file ")
	service, restarts := strings.CutPrefix(effect, guest.Restart)
	switch {
	case gone && effect == guest.Restart+guest.PatchDay:
		return guest.Live + "no more patch days: packages are upgraded as the image has it"
	case gone && effect == guest.BackupsChange:
		return guest.Live + "the services of backups and restores are stopped and disabled"
	case gone && isFile:
		return effect + isDeleted
	case gone && restarts && effect != guest.PowerOff:
		return guest.Restart + service + " is stopped and disabled"
	}
	return effect
}
