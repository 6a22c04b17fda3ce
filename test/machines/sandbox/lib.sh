# shellcheck shell=bash
# What all parts share: names, paths, messages, bounded waits, locks, cgroups.

CACHE=${QUORUM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/quorum}
CACHE=$(realpath -m -- "$CACHE")
NAME=${QUORUM_SANDBOX:-quorum}
[[ $NAME =~ ^[a-z][a-z0-9-]{0,31}$ ]] || {
	echo "sandbox: QUORUM_SANDBOX must be lower case letters, digits and dashes, at most 32, not \"$NAME\"" >&2
	exit 2
}
DEBIAN=${QUORUM_DEBIAN:-13}
case $DEBIAN in
12) SUITE=bookworm ;;
13) SUITE=trixie ;;
*)
	echo "sandbox: QUORUM_DEBIAN must be 12 or 13, not \"$DEBIAN\"" >&2
	exit 2
	;;
esac
STATE=$CACHE/sandbox/$NAME
NETNS=$NAME
BRIDGE=br-$NAME
# An interface name has 15 characters at most.
((${#BRIDGE} <= 15)) || BRIDGE=br-$(sha256sum <<<"$NAME" | cut -c1-12)
GATEWAY=10.77.0.1
SUBNET=10.77.0.0/24
URI="qemu+unix:///system?socket=$STATE/sock/libvirt-sock"
PYTHON=/usr/bin/python3
export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

say() { echo "sandbox: $*" >&2; }
die() {
	say "$*"
	exit 1
}
usage_error() {
	say "$* (see sandbox --help)"
	exit 2
}

need_root() { [[ $(id -u) == 0 ]] || die "must be run as root"; }
need_up() { netns_exists || die "is not up: run \"sandbox up\" first"; }

# wait_for SECONDS COMMAND... : until COMMAND succeeds; false when the time is over.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.1
	done
}

# quietly LOG COMMAND... : keeps the output in LOG and shows its end only on failure.
quietly() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || {
		tail -n 40 "$log" >&2
		say "$1 failed; all of its output is in $log"
		return 1
	}
}

# lock FILE SECONDS : held until the program ends. Children get no copy of it: see detached.
lock() {
	mkdir -p "$(dirname "$1")"
	exec {LOCK_FD}>"$1"
	flock -w "$2" "$LOCK_FD" || die "another sandbox command has held $1 for $2 s"
}

# The sandbox's processes live in cgroups of its own, so that "down" finds all of them
# and nothing else, whatever they forked and whoever was killed in between.
cgroup_root() {
	local root
	root=$(findmnt -rn --first-only -t cgroup2 -o TARGET)
	if [[ -z $root ]]; then
		root=$STATE/cgroup
		mkdir -p "$root"
		mount -t cgroup2 cgroup2 "$root" || die "this host has no cgroup2 file system"
	fi
	echo "$root/sandbox-$NAME"
}
cgroup_busy() { [[ -d $1 ]] && grep -qx 'populated 1' "$1/cgroup.events"; }
cgroup_idle() { ! cgroup_busy "$1"; }

# cgroup_kill DIR : kills all that is in it and below, and removes it.
cgroup_kill() {
	local dir=$1 procs
	[[ -d $dir ]] || return 0
	if [[ -w $dir/cgroup.kill ]]; then
		echo 1 >"$dir/cgroup.kill"
	else # before Linux 5.14
		for procs in $(find "$dir" -name cgroup.procs -exec cat {} + 2>/dev/null); do
			kill -KILL "$procs" 2>/dev/null || true
		done
	fi
	wait_for 20 cgroup_idle "$dir" || die "processes in $dir do not end"
	find "$dir" -depth -type d -exec rmdir {} \; || die "cannot remove $dir"
}

# detached NAME LOG COMMAND... : runs COMMAND in the background in the cgroup NAME; sets PID.
detached() {
	local group log=$2
	group=$(cgroup_root)/$1
	shift 2
	mkdir -p "$group"
	(
		[[ -z ${LOCK_FD:-} ]] || exec {LOCK_FD}>&-
		echo "$BASHPID" >"$group/cgroup.procs"
		exec setsid "$@" </dev/null >"$log" 2>&1
	) &
	PID=$!
}
