package config

import "fmt"

// BlocksNextMinor reports whether members of a release may be unable to start with the next minor.
func BlocksNextMinor(version string) bool {
	r, known := parse(version)
	return known && r.minor == leadsTo36.minor && r.patch < leadsTo36.patch
}

// Up tells why members cannot go up from one release to another, or "".
// https://etcd.io/docs/latest/upgrades/
func Up(from, to string) string {
	old, ok := parse(from)
	next, known := parse(to)
	switch {
	case !ok || !known:
		return ""
	case next.minor > old.minor+1:
		return fmt.Sprintf("must be a 3.%d release first: etcd is upgraded one minor version at a time", old.minor+1)
	case next.minor == old.minor+1 && BlocksNextMinor(from):
		return fmt.Sprintf("must be %s or a later 3.%d first, on all members, and %s after that: "+
			"otherwise, members that were once learners do not start with 3.6 (too many learner members in cluster): https://etcd.io/docs/v3.6/upgrades/upgrade_3_6/",
			leadsTo36, leadsTo36.minor, atLeast(next))
	case old.minor < next.minor && atLeast(next) != next:
		return fmt.Sprintf("must be %s or later: earlier ones of 3.%d do not start again after a learner was promoted: https://github.com/etcd-io/etcd/issues/20340", first36, first36.minor)
	}
	return ""
}

// Down is the version of the data that members need before the first of them goes back by a minor, or "". Those of a
// cluster that has not come up as a whole have it already.
func Down(cluster []string, to string) string {
	next, known := parse(to)
	if !known || len(cluster) == 0 {
		return ""
	}
	for _, version := range cluster {
		if r, ok := parse(version); !ok || r.minor <= next.minor || r.minor < firstDown {
			return ""
		}
	}
	return fmt.Sprintf("3.%d.0", next.minor)
}

// HasWayBack reports whether a release is one of those whose data etcd can make readable for the minor before.
func HasWayBack(version string) bool {
	r, known := parse(version)
	return known && r.minor >= firstDown
}

// SameMinor reports whether two releases are of the same minor version.
func SameMinor(one, other string) bool {
	r, known := parse(one)
	s, also := parse(other)
	return known && also && r.minor == s.minor
}

// Step tells why a member cannot go from the release that it runs to another, or
// "". Cluster are the releases of all members, as far as they are known: with one
// of a lower minor the cluster is of that one still, and others may go back to it.
func Step(cluster []string, from, to string) string {
	if reason := Up(from, to); reason != "" {
		return reason
	}
	old, ok := parse(from)
	next, known := parse(to)
	if !ok || !known || next.minor >= old.minor {
		return ""
	}
	for _, version := range cluster {
		if r, ok := parse(version); ok && r.minor <= next.minor {
			return ""
		}
	}
	switch {
	case old.minor < firstDown:
		return fmt.Sprintf("must not be lower than 3.%d: etcd does not start with data of a later minor version, and goes back from 3.%d on", old.minor, firstDown)
	case next.minor < old.minor-1:
		return fmt.Sprintf("must not be lower than 3.%d: etcd goes back one minor version at a time", old.minor-1)
	case next.minor == leadsTo36.minor && next.before(leadsTo36):
		return fmt.Sprintf("must be %s or a later 3.%d: from earlier ones there is no way to 3.6 again", leadsTo36, leadsTo36.minor)
	}
	return ""
}

// atLeast is r, or the first of its minor to take.
func atLeast(r release) release {
	if r.minor == first36.minor && r.patch < first36.patch {
		return first36
	}
	return r
}
