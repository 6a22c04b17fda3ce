package check

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Unit is what numbers count. Size is in the smallest unit of its kind.
type Unit struct {
	Name string
	Size int
}

// Units of sizes, and of times.
var (
	Byte = Unit{"bytes", 1}
	KiB  = Unit{"KiB", 1 << 10}
	MiB  = Unit{"MiB", 1 << 20}
	GiB  = Unit{"GiB", 1 << 30}

	Millisecond = Unit{"milliseconds", 1}
	Second      = Unit{"seconds", 1000}
	Hour        = Unit{"hours", 3600 * 1000}
)

// Bounds are those of a number in a unit, with what they are in words where these are easier
// to read.
type Bounds struct {
	Least, Most     int
	LeastIs, MostIs string
	In              Unit
	// Slips are units that a number out of the bounds may be in, the likeliest first; in the
	// right one it is at least Usual, if that is given.
	Slips []Unit
	Usual int
}

// Check requires a number within b, and asks whether another unit was meant.
func (b Bounds) Check(n int) string {
	if n >= b.Least && n <= b.Most {
		return ""
	}
	return fmt.Sprintf("must be from %s to %s, in %s, not %d%s", words(b.Least, b.LeastIs), words(b.Most, b.MostIs), b.In.Name, n, b.meant(n))
}

func words(n int, is string) string {
	if is == "" {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d (%s)", n, is)
}

// meant is the end of a sentence that ends in the number.
func (b Bounds) meant(n int) string {
	for _, slip := range b.Slips {
		right := float64(n) * float64(slip.Size) / float64(b.In.Size)
		if right < float64(max(b.Least, b.Usual)) || right > float64(b.Most) {
			continue
		}
		was := "was"
		if strings.HasSuffix(slip.Name, "s") {
			was = "were"
		}
		return fmt.Sprintf(" %s: %s %s meant? %d %s are %d", b.In.Name, slip.Name, was, n, slip.Name, int(right))
	}
	return ""
}

// VolumeBytes requires the size of a volume in bytes, VolumeGiB in GiB, MemoryMiB that of a
// machine's memory in MiB. Cloud images need 256 MiB to boot at all.
var (
	VolumeBytes = Bounds{
		Least: 64 << 20, LeastIs: "64 MiB", Most: 1 << 50, MostIs: "1 PiB", In: Byte, Slips: []Unit{KiB, MiB, GiB}, Usual: 1 << 30,
	}
	VolumeGiB = Bounds{Least: 1, Most: 1 << 20, MostIs: "1 PiB", In: GiB, Slips: []Unit{Byte, KiB, MiB}}
	MemoryMiB = Bounds{Least: 256, Most: 16 << 20, MostIs: "16 TiB", In: MiB, Slips: []Unit{Byte, KiB, GiB}}
)

var sized = regexp.MustCompile(`^([0-9]{1,6}) ?(|[KkMGTP])(i?)(B?)$`)

// InBytes is the end of a sentence that ends in a text: what number it is as a size with a unit,
// or "" if it is none.
func InBytes(s string) string {
	found := sized.FindStringSubmatch(s)
	if found == nil || found[2] == "" {
		return ""
	}
	n, _ := strconv.Atoi(found[1])
	base, power := 1000, strings.Index("KMGTP", strings.ToUpper(found[2]))+1
	if found[3] == "i" {
		base = 1024
	}
	for range power {
		if n > math.MaxInt/base {
			return ""
		}
		n *= base
	}
	text := fmt.Sprintf(": give it without a unit: %d in bytes", n)
	for _, unit := range []Unit{MiB, GiB} {
		if n > 0 && n%unit.Size == 0 {
			text += fmt.Sprintf(", %d in %s", n/unit.Size, unit.Name)
		}
	}
	return text
}

// Bytes is a size as people read it.
func Bytes(n int) string {
	for _, unit := range []struct {
		size int
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if n >= unit.size && n%unit.size == 0 {
			return fmt.Sprintf("%d %s", n/unit.size, unit.name)
		}
		if n >= unit.size {
			return fmt.Sprintf("%.1f %s", float64(n)/float64(unit.size), unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}
