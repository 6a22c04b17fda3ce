package check

import "strings"

// What is said of where the data of a machine lie: of a volume that no machine owns, and is not deleted
// with one, Kept is the end.
const (
	Kept         = ", which itself stays"
	OnRoot       = "its root volume"
	OnDataVolume = "the data volume "
	NoDataVolume = ": it has no data volume"

	hidden = ", where the new data volume hides them until the machine is rebuilt"
)

// Left is where the data of a machine are left that are to lie elsewhere now. On libvirt the root volume
// stays when a machine is given a data volume.
func Left(was, now string) string {
	if strings.HasPrefix(was, OnRoot) && strings.HasPrefix(now, OnDataVolume) {
		return strings.TrimSuffix(was, NoDataVolume) + hidden
	}
	return was
}

// Stays reports whether data that are left there are not deleted.
func Stays(left string) bool { return strings.HasSuffix(left, Kept) || strings.HasSuffix(left, hidden) }

// Loses says what a change costs a machine whose data are left there.
func Loses(machine, left string) string {
	does := "deletes"
	if Stays(left) {
		does = "leaves behind"
	}
	return does + " the data of " + machine + On(left)
}
