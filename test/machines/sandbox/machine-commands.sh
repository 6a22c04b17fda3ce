# shellcheck shell=bash
# What can be done to a machine that is there.

machine_exec() {
	local name=$1
	shift
	need_running "$name"
	(($#)) || set -- /bin/bash -l
	exec nsenter --target "$(machine_init "$name")" --mount --uts --ipc --net --pid --cgroup --root --wd \
		env -i HOME=/root USER=root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
		PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# machine_reseed NAME SEED : then what the udev rule does on a VM when the drive changes. One that is off is started, as the
# libvirt provider does.
machine_reseed() {
	local init
	need_root
	machine_known "$1" || die "there is no machine $1"
	[[ -f $2/user-data ]] || usage_error "machine reseed: no user-data in \"$2\""
	if init=$(machine_init "$1"); then
		write_seed "/proc/$init/root" "$2"
		machine_exec "$1" touch /run/quorum-apply.wanted
	else
		write_seed "$(machine_dir "$1")/upper" "$2"
		machine_reboot "$1"
	fi
}

# machine_off NAME : its power fails; "machine reboot" starts it again.
machine_off() {
	need_running "$1"
	lock "$STATE/lock.machine-$1" 60
	cgroup_kill "$(machine_group "$1")"
	machine_unplug "$1"
}

# machine_reboot NAME : an orderly one; a machine that has stopped is started again.
machine_reboot() {
	local name=$1 init
	need_root
	need_up
	machine_known "$name" || die "there is no machine $name"
	lock "$STATE/lock.machine-$name" 60
	if init=$(machine_init "$name"); then
		kill -s RTMIN+5 "$init"
		wait_for 60 machine_other_init "$name" "$init" || die "machine $name did not reboot within 60 s"
		wait_for 60 machine_answers "$name" || die "machine $name did not come up within 60 s"
	else
		machine_start "$name"
	fi
}

machine_other_init() {
	local init
	init=$(machine_init "$1") && [[ $init != "$2" ]]
}

machine_console() {
	machine_known "$1" || die "there is no machine $1"
	cat "$STATE/machines/$1/console"
}

machine_list() {
	local dir name state
	for dir in "$STATE"/machines/*/; do
		[[ -d $dir ]] || continue
		name=$(basename "$dir")
		state=stopped
		machine_init "$name" >/dev/null && state=running
		printf '%s\t%s\t%s\t%s\n' "$name" "$state" "$(cat "$dir/mac")" "$(cat "$dir/rootfs")"
	done
}

machine() {
	local command=${1:-} count=$(($# - 1))
	shift || true
	case $command in
	up) ((count >= 4)) || usage_error "machine up NAME ROOTFS SEED_DIR MAC [--disk LABEL]..." ;;
	reseed) ((count == 2)) || usage_error "machine reseed NAME SEED_DIR" ;;
	down | off | exec | reboot | console) ((count >= 1)) || usage_error "machine $command NAME" ;;
	list) ;;
	*) usage_error "machine: no command \"$command\"" ;;
	esac
	"machine_$command" "$@"
}
