package patroni

import (
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// parameterLines are what servers say of their parameters: tools/pgparams writes them.
//
//go:embed parameters.tsv
var parameterLines string

// known is a parameter as PostgreSQL has it in some of its versions.
type known struct {
	from, to      int // versions
	kind, unit    string
	least, most   string
	words         []string
	cannotBeGiven bool
	atStart       bool // it is taken when the server starts, and only then
}

// parameterList has, by their names in small letters, what the versions from oldest to newest
// have: to PostgreSQL, TimeZone and timezone are the same.
var parameterList = sync.OnceValue(func() map[string][]known {
	all := map[string][]known{}
	for line := range strings.Lines(parameterLines) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		from, _ := strconv.Atoi(f[1])
		to, _ := strconv.Atoi(f[2])
		k := known{from: from, to: to, kind: f[3], unit: f[4], least: f[5], most: f[6], cannotBeGiven: f[8] == "internal", atStart: f[8] == "postmaster"}
		if f[7] != "" {
			k.words = strings.Split(f[7], ",")
		}
		name := strings.ToLower(f[0])
		all[name] = append(all[name], k)
	}
	return all
})

// formerly are names that PostgreSQL still takes for others.
var formerly = map[string]string{
	"sort_mem": "work_mem", "vacuum_mem": "maintenance_work_mem", "force_parallel_mode": "debug_parallel_query", "ssl_ecdh_curve": "ssl_groups",
}

// ofDebian is a text that PostgreSQL takes as Debian and Ubuntu build it.
const ofDebian = "extension_destdir"

const oldest, newest = leastVersion, 18

// refused says why a version of PostgreSQL does not take a parameter, or such a value for it: one
// of all of them, if the version is not known. Those of extensions have a dot in their names, and
// later versions may have others.
func refused(name, value string, version *string) string {
	name = strings.ToLower(name)
	from, to, which := oldest, newest, fmt.Sprintf("%d to %d", oldest, newest)
	if version != nil {
		n, err := strconv.Atoi(*version)
		if err != nil || n < oldest {
			return "" // it is refused
		}
		from, to, which = n, n, *version
	}
	all := parameterList()[name]
	if len(all) == 0 && formerly[name] != "" {
		all = parameterList()[formerly[name]]
	}
	reason := ""
	for _, k := range all {
		if k.to < from || k.from > to {
			continue
		}
		if reason = k.refuses(value); reason == "" {
			return ""
		}
	}
	switch {
	case reason != "" || to > newest || strings.Contains(name, ".") || name == ofDebian:
		return reason
	case len(all) > 0 && all[len(all)-1].to < from:
		return fmt.Sprintf("is no parameter of PostgreSQL %s: %d is the last version that has it", which, all[len(all)-1].to)
	case len(all) > 0:
		return fmt.Sprintf("is no parameter of PostgreSQL %s: %d is the first version that has it", which, all[0].from)
	}
	if near := check.Nearest(name, slices.Sorted(maps.Keys(parameterList()))); near != "" {
		return fmt.Sprintf("is no parameter of PostgreSQL %s.%s", which, check.DidYouMean(near))
	}
	return fmt.Sprintf("is no parameter of PostgreSQL %s; those of extensions have a dot in their names", which)
}

func (k known) refuses(value string) string {
	if k.cannotBeGiven {
		return "must not be given: it is read-only"
	}
	switch k.kind {
	case "bool":
		if !isSwitch(value) {
			return "must be on or off, not " + check.Quote(value)
		}
	case "enum":
		if !k.has(value) {
			return "must be " + check.Or(k.words) + ", not " + check.Quote(value)
		}
	case "integer", "real":
		return k.number(value)
	}
	return ""
}

// has reports whether a word is one of those that are taken, also of those that are not shown.
func (k known) has(value string) bool {
	same := func(word string) bool { return strings.EqualFold(word, value) }
	switch {
	case slices.ContainsFunc(k.words, same):
		return true
	case slices.Contains(k.words, "debug5") && same("debug"):
		return true
	}
	return slices.Contains(k.words, "on") && slices.ContainsFunc([]string{"true", "false", "yes", "no", "1", "0"}, same)
}

// isSwitch reports whether PostgreSQL takes a text for on or off: a beginning is enough.
func isSwitch(value string) bool {
	v := strings.ToLower(strings.TrimSpace(value))
	if v == "" || v == "o" {
		return false
	}
	return v == "1" || v == "0" || slices.ContainsFunc([]string{"true", "false", "yes", "no", "on", "off"}, func(word string) bool { return strings.HasPrefix(word, v) })
}

func (k known) number(value string) string {
	n, unit, ok := split(value)
	scale, fits := k.scale(unit)
	n *= scale
	if k.kind == "integer" {
		n = math.RoundToEven(n)
	}
	least, _ := strconv.ParseFloat(k.least, 64)
	most, _ := strconv.ParseFloat(k.most, 64)
	if ok && fits && n >= least && n <= most {
		return ""
	}
	in := ""
	if k.unit != "" {
		names := slices.SortedFunc(maps.Keys(k.units()), func(a, b string) int { return int(math.Copysign(1, k.units()[a]-k.units()[b])) })
		in = fmt.Sprintf(" in units of %s, or have one of the units %s", k.unit, check.Or(names))
	}
	return fmt.Sprintf("must be a number from %s to %s%s, not %s", k.least, k.most, in, check.Quote(value))
}

// split takes a number as PostgreSQL reads it apart from its unit.
func split(value string) (n float64, unit string, ok bool) {
	v := strings.TrimSpace(value)
	number := strings.TrimRight(v, "BkMGTusminhd ")
	unit = strings.TrimSpace(v[len(number):])
	if whole, err := strconv.ParseInt(number, 0, 64); err == nil && !strings.ContainsAny(number, "_bo") {
		return float64(whole), unit, true
	}
	n, err := strconv.ParseFloat(number, 64)
	return n, unit, err == nil && check.Matches(`[-+]?[0-9.]+([eE][-+]?[0-9]+)?`, number)
}

var (
	ofMemory = map[string]float64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
	ofTime   = map[string]float64{"us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
)

// units are those in which the parameter can be given.
func (k known) units() map[string]float64 {
	switch {
	case k.unit == "":
		return nil
	case ofTime[k.unit] > 0:
		return ofTime
	}
	return ofMemory
}

// scale is what a number of a unit is in the parameter's own.
func (k known) scale(unit string) (float64, bool) {
	size, has := k.units()[unit]
	switch own := k.units()[strings.TrimLeft(k.unit, "0123456789")]; {
	case unit == "":
		return 1, true
	case !has:
		return 0, false
	case strings.HasPrefix(k.unit, "8"):
		return size / own / 8, true
	default:
		return size / own, true
	}
}
