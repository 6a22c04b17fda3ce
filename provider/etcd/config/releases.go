package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi-quorum/pulumi-quorum/provider/check"
)

// release is one of etcd's: the 5 and 21 of 3.5.21.
type release struct{ minor, patch int }

// What is known of releases of etcd, and where to read about it.
var (
	// wantLogin are the first of their minors that tell who the members are only
	// to who has logged in. They themselves tell root only, the ones after them any user.
	// https://github.com/patroni/patroni/issues/3580
	wantLogin = []release{{4, 42}, {5, 28}, {6, 9}}

	// leadsTo36 is the first release of 3.5 from which 3.6 takes over who is a
	// member. 3.6 reads that from the database, 3.5 kept it elsewhere as well and
	// used that: 3.5.1 to 3.5.19 do not note in the database that a learner was
	// promoted, 3.5.20 to 3.5.23 pass such an error on in snapshots, and up to
	// 3.5.25 members that were removed may still be in there. 3.5.26 mends all
	// of it when it starts. It ends in `membership: too many learner members in cluster`.
	// https://github.com/etcd-io/etcd/issues/19557, /20793 and /20967,
	// https://etcd.io/blog/2025/zombie_members_upgrade/
	leadsTo36 = release{5, 26}

	// namesPeers is the first release whose configuration file says which name peers have.
	// Earlier ones take every certificate of their authority for a peer's.
	// https://github.com/etcd-io/etcd/pull/18063
	namesPeers = release{5, 14}

	// comparesCompacted is the first release in which a member that was restarted while it
	// compacted is not taken for one whose data differ, which would stop the whole cluster.
	// https://github.com/etcd-io/etcd/issues/15919
	comparesCompacted = release{5, 10}

	// restoresRevisions is the first release whose etcdutl restores a snapshot at a later revision than its
	// own, so that clients do not see the revision go back: https://github.com/etcd-io/etcd/pull/16165
	restoresRevisions = release{5, 10}

	// firstDown is the first minor of whose data etcd can make those of the minor before, for all members at once.
	// https://etcd.io/docs/v3.6/downgrades/downgrade_3_6/
	firstDown = 6

	// first36 is the first release of 3.6 that starts again with a log in which a learner is promoted.
	// https://github.com/etcd-io/etcd/pull/20387
	first36 = release{6, 4}
)

// LeadsToNextMinor is the first release that does, of those that may not.
var LeadsToNextMinor = leadsTo36.String()

// OnlyRootSeesMembers reports whether a release answers nobody but root who its members are.
func OnlyRootSeesMembers(version string) bool {
	r, known := parse(version)
	return known && slices.Contains(wantLogin, r)
}

// loginSeesMembers reports whether a release answers only who has logged in who its members are.
func loginSeesMembers(r release) bool {
	return slices.ContainsFunc(wantLogin, func(first release) bool { return r.minor == first.minor && r.patch >= first.patch })
}

// longElection, in milliseconds, is more than ten round trips of 400 ms, as between continents: what
// etcd's guide to tuning advises is 4 seconds there.
const longElection = 10_000

// Warnings are of what is allowed, and seldom meant.
func (s Settings) Warnings() (l check.List) {
	l.Under("", s.warnOfRetention())
	if s.ElectionTimeout != nil && *s.ElectionTimeout > longElection {
		l.Add("electionTimeout", "is %d milliseconds: the cluster refuses writes for that long, and longer, after the leader's machine has failed", *s.ElectionTimeout)
	}
	if s.Version == nil {
		return l
	}
	r, known := parse(*s.Version)
	if known && r.before(namesPeers) {
		l.Add("version", "etcd %s accepts every client with a certificate of its authority as a peer, and peers may do anything: use %s or a later release", *s.Version, namesPeers)
	}
	if known && *s.GRPCGatewayEnabled && loginSeesMembers(r) {
		l.Add("version", "etcd %s does not list its members to Patroni, which logs in by password, unless Patroni is new enough: https://github.com/patroni/patroni/issues/3580", *s.Version).
			Needing("grpcGatewayEnabled")
	}
	return l
}

// comparesCompacted reports whether members may compare the hashes of what they compacted.
// The distributions' packages are later releases, or know nothing of it.
func (s Settings) comparesCompacted() bool {
	if s.Version == nil {
		return true
	}
	r, known := parse(*s.Version)
	return !known || !r.before(comparesCompacted)
}

func parse(version string) (r release, known bool) {
	_, err := fmt.Sscanf(strings.TrimPrefix(version, "v"), "3.%d.%d", &r.minor, &r.patch)
	return r, err == nil
}

func (r release) before(other release) bool {
	return r.minor < other.minor || r.minor == other.minor && r.patch < other.patch
}

func (r release) String() string { return fmt.Sprintf("3.%d.%d", r.minor, r.patch) }

func list(releases []release) string {
	var all []string
	for _, r := range releases {
		all = append(all, r.String())
	}
	return strings.Join(all, ", ")
}
