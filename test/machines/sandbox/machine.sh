# shellcheck shell=bash
# Machines: systemd-nspawn containers over an image's root file system, on the sandbox's bridge, started by
# cloud-init from a seed directory. They live in seconds what a VM lives in a minute; what they lack is in README.md.

DISK_SIZE=${QUORUM_DISK_SIZE:-2G} # sparse

machine_dir() {
	[[ ${1:-} =~ ^[a-z0-9][a-z0-9-]{0,62}$ ]] || usage_error "machine: a name must be a host name, not \"${1:-}\""
	echo "$STATE/machines/$1"
}
machine_known() { [[ -d $(machine_dir "$1") ]]; }
machine_group() { echo "$(cgroup_root)/machine-$1"; }
machine_link() { echo "m$(sha256sum <<<"$1" | cut -c1-12)"; }
machine_disk() { echo "$STATE/disks/$1-$2.img"; }

# machine_init NAME : the host's id of the machine's process 1.
machine_init() {
	local pid group
	group=$(machine_group "$1")
	for pid in $(find "$group" -name cgroup.procs -exec cat {} + 2>/dev/null); do
		if awk '/^NSpid:/ { found = NF == 3 && $3 == 1 } END { exit !found }' "/proc/$pid/status" 2>/dev/null; then
			echo "$pid"
			return
		fi
	done
	return 1
}

machine_answers() {
	local init
	init=$(machine_init "$1") && [[ -S /proc/$init/root/run/systemd/private ]]
}

need_running() {
	need_root
	machine_known "$1" || die "there is no machine $1"
	machine_init "$1" >/dev/null || die "machine $1 is not running"
}

machine_up() {
	local name=$1 root=$2 seed=$3 mac=$4 dir label labels=()
	shift 4
	dir=$(machine_dir "$name")
	while (($#)); do
		[[ $1 == --disk && ${2:-} =~ ^[A-Za-z0-9_-]{1,16}$ ]] || usage_error "machine up: --disk LABEL of at most 16 characters"
		labels+=("$2")
		shift 2
	done
	need_root
	need_up
	case $root in
	baked | stock)
		read_host_sources
		root=$(image_ready "$root")/rootfs
		;;
	esac
	[[ -x $root/sbin/init || -L $root/sbin/init ]] || die "machine up: no root file system in \"$root\": build it with \"sandbox image\""
	[[ -f $seed/user-data && -f $seed/meta-data || -d $seed/openstack ]] ||
		usage_error "machine up: user-data and meta-data, or openstack, must be in \"$seed\""
	[[ $mac =~ ^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$ ]] || usage_error "machine up: a MAC address must be six bytes, not \"$mac\""
	lock "$STATE/lock.machine-$name" 60
	[[ ! -d $dir ]] || die "machine $name is there already: \"machine down\" or \"machine reboot\" it"
	mkdir -p "$STATE/disks" "$dir"/{upper,work,root,containers}
	echo "$root" >"$dir/rootfs"
	echo "$mac" >"$dir/mac"
	for label in "${labels[@]}"; do
		make_disk "$(machine_disk "$name" "$label")" "$label"
		echo "$label" >>"$dir/disks"
	done
	[[ ${#labels[@]} == 0 ]] || disk_links "$dir/upper" "${labels[@]}"
	podman_limits "$dir/upper"
	if [[ -d $seed/openstack ]]; then
		write_config_drive "$dir/upper" "$seed"
	else
		write_seed "$dir/upper" "$seed"
	fi
	machine_start "$name"
}

make_disk() {
	[[ -f $1 ]] && return
	truncate -s "$DISK_SIZE" "$1.new"
	mkfs.ext4 -q -F -m 0 -L "$2" "$1.new"
	mv "$1.new" "$1"
}

# disk_links UPPER LABEL... : without udev nobody else makes /dev/disk/by-label.
disk_links() {
	local upper=$1 letters=bcdefgh label i=0 unit=etc/systemd/system/sandbox-disks.service
	shift
	mkdir -p "$upper/etc/systemd/system/sysinit.target.wants"
	{
		printf '[Unit]\nDefaultDependencies=no\nBefore=local-fs-pre.target cloud-init-local.service sysinit.target\n'
		printf '[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=mkdir -p /dev/disk/by-label\n'
		for label in "$@"; do
			printf 'ExecStart=ln -sfn ../../vd%s /dev/disk/by-label/%s\n' "${letters:i++:1}" "$label"
		done
	} >"$upper/$unit"
	ln -s "/$unit" "$upper/etc/systemd/system/sysinit.target.wants/"
}

# podman_limits UPPER : the host may keep the counting of processes for itself.
podman_limits() {
	mkdir -p "$1/etc/containers"
	printf '[containers]\npids_limit = 0\n' >"$1/etc/containers/containers.conf"
}

# write_config_drive ROOT SEED : what cloud-init takes for OpenStack's config drive, in the place of NoCloud's files.
write_config_drive() {
	mkdir -p "$1/var/lib/cloud/seed" "$1/etc/cloud/cloud.cfg.d"
	(umask 077 && cp -r "$2" "$1/var/lib/cloud/seed/config_drive")
	echo 'datasource_list: [ConfigDrive]' >"$1/etc/cloud/cloud.cfg.d/95_sandbox.cfg"
}

# write_seed ROOT SEED : all of the seed's files change at once, by one rename of a link.
write_seed() {
	local parent=$1/var/lib/cloud/seed new file old
	mkdir -p "$parent"
	new=$(mktemp -d "$parent/.nocloud.XXXXXX")
	for file in user-data meta-data network-config vendor-data; do
		[[ ! -f $2/$file ]] || install -m 0600 "$2/$file" "$new/$file"
	done
	old=$(readlink "$parent/nocloud" || true)
	ln -s "$(basename "$new")" "$new.link"
	mv -T "$new.link" "$parent/nocloud"
	[[ ! $old =~ ^\.nocloud\. ]] || rm -rf "${parent:?}/$old"
}

machine_start() {
	local name=$1 dir link label letters=bcdefgh i=0 binds=() device
	dir=$(machine_dir "$name")
	link=$(machine_link "$name")
	cgroup_kill "$(machine_group "$name")"
	machine_unplug "$name"
	while read -r label; do
		device=$(losetup --find --show "$(machine_disk "$name" "$label")")
		binds+=("--bind=$device:/dev/vd${letters:i++:1}" "--bind=$device")
	done < <(cat "$dir/disks" 2>/dev/null)
	# Images are overlays, which cannot lie on the machine's own.
	binds+=("--bind=$dir/containers:/var/lib/containers")
	detached "machine-$name" "$dir/console" unshare --mount --net \
		"$BASH" "$HERE/machine-inside.sh" "$name" "$(<"$dir/rootfs")" "$dir" "${binds[@]}"
	wait_for 10 netns_of_its_own "$PID" || die "machine $name did not start: $(tail -n 5 "$dir/console")"
	ip -n "$NETNS" link add "$link" type veth peer name eth0 address "$(<"$dir/mac")" netns "$PID"
	ip -n "$NETNS" link set "$link" master "$BRIDGE" up
	wait_for 60 machine_answers "$name" || die "machine $name did not start: $(tail -n 5 "$dir/console")"
}

netns_of_its_own() {
	local own
	own=$(readlink "/proc/$1/ns/net") && [[ $own != "$(readlink /proc/self/ns/net)" ]]
}

# machine_unplug NAME : what the kernel keeps after the last process of a machine.
machine_unplug() {
	local link device file
	link=$(machine_link "$1")
	ip -n "$NETNS" link del "$link" 2>/dev/null || true
	wait_for 10 link_gone "$link" || die "interface $link does not go away"
	while read -r device file; do
		[[ $file != "$STATE/disks/$1-"* ]] || losetup --detach "$device"
	done < <(losetup --list --noheadings --output NAME,BACK-FILE)
}

# machine_down NAME : a power-off, as the libvirt provider does it to a domain.
machine_down() {
	local name=$1 dir label
	dir=$(machine_dir "$name")
	need_root
	[[ -d $dir ]] || return 0
	lock "$STATE/lock.machine-$name" 60
	cgroup_kill "$(machine_group "$name")"
	machine_unplug "$name"
	if [[ ${2:-} != --keep-disk && -f $dir/disks ]]; then
		while read -r label; do
			rm -f "$(machine_disk "$name" "$label")"
		done <"$dir/disks"
	fi
	rm -rf --one-file-system "$dir"
}
