package check

// Kind tells what owned values are of: those of two kinds may be alike.
type Kind int

// The kinds of what machines own.
const (
	Addresses Kind = iota
	Cards          // by MAC address
	Disks
	Drives // of cloud-init
	Ports
)

// Owned is a value that one of several things has for itself.
type Owned struct {
	Path  string
	Kind  Kind
	Value string
	// Within is where no other may have the value: everywhere if it is empty.
	Within string
	Needs  []string // the inputs that say within what
	Shared bool     // by all that say so
}

// Apart adds a problem for each value that an earlier thing has too. Empty ones
// do not count.
func (l *List) Apart(things [][]Owned) {
	for i, thing := range things {
		for _, mine := range thing {
			if other, both := mine.among(things[:i]); both {
				l.Add(mine.Path, "must differ from %s: both are %s", other.Path, Quote(mine.Value)).
					Needing(other.Path).Needing(mine.Needs...).Needing(other.Needs...)
			}
		}
	}
}

// is reports whether the value is that of the other, where both are.
func (o Owned) is(other Owned) bool {
	near := o.Within == other.Within || o.Within == "" || other.Within == ""
	return near && o.Value != "" && plain(o.Value) == plain(other.Value)
}

// Conflicts reports whether another has it for itself, too.
func (o Owned) Conflicts(other Owned) bool {
	return o.Kind == other.Kind && o.is(other) && (!o.Shared || !other.Shared)
}

func (o Owned) among(things [][]Owned) (Owned, bool) {
	for _, thing := range things {
		for _, other := range thing {
			if o.Kind == other.Kind && o.is(other) {
				return other, true
			}
		}
	}
	return Owned{}, false
}
