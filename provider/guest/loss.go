package guest

import (
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// What is said of where the data of a machine lie: of a volume that no machine owns, and is not deleted
// with one, Kept is the end.
const (
	Kept         = ", which itself stays"
	OnRoot       = "its root volume"
	OnDataVolume = "the data volume "
	NoDataVolume = ": it has no data volume"

	hidden = ", where the new data volume hides them until the machine is rebuilt"
)

// Stored are the data of a machine: a hash of what they lie on, and that in words. A preview may not know
// the hash, and states of earlier releases have none, or no words.
type Stored struct{ Hash, On string }

// Loss is what a change costs a machine of its data.
type Loss struct {
	On string // where they are left, in words; "" where it is not known
	Or string // what may be meant instead: a sentence that follows

	Again bool // whether the volume is made again unasked: it is gone, or --replace names it
}

// Loss is what a machine loses where its data are to lie elsewhere now, nil for nothing.
func (s Stored) Loss(now Stored) *Loss {
	if s.Hash == "" || now.Hash == "" || Unchanged(s.Hash, now.Hash) {
		return nil
	}
	l := Loss{On: s.On}
	if strings.HasPrefix(s.On, OnRoot) && strings.HasPrefix(now.On, OnDataVolume) { // on libvirt the root volume stays
		l.On = strings.TrimSuffix(s.On, NoDataVolume) + hidden
	}
	// A hash of an earlier release does not tell whether only what reaches a machine that runs differs.
	switch {
	case IsSized(s.Hash) || !IsSized(now.Hash) || s.On != "" && s.On != now.On:
	case strings.Fields(now.Hash)[1] == "0":
		l.Or = ". If only the SSH key or DNS servers differ: run `pulumi up` with this release and the former ones first, then change them"
	default:
		l.Or = ". If only the volume's size differs: run `pulumi up` with this release and the former size first, then grow it"
	}
	return &l
}

// Stays reports whether the data are not deleted.
func (l Loss) Stays() bool { return strings.HasSuffix(l.On, Kept) || strings.HasSuffix(l.On, hidden) }

// Of says what it costs the machine.
func (l Loss) Of(machine string) string {
	does := "deletes"
	if l.Stays() {
		does = "leaves behind"
	}
	return does + " the data of " + machine + check.On(l.On)
}
