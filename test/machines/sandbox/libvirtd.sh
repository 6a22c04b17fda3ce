# shellcheck shell=bash
# A private libvirtd: its own network and mount namespace, its own paths, no part in any libvirt of this host.

POOL=quorum
NETWORK=quorum

libvirt() { virsh -q -c "$URI" "$@"; }
libvirtd_answers() { libvirt uri >/dev/null 2>&1; }

libvirtd_up() {
	libvirtd_answers && return
	mkdir -p "$STATE"/{etc,sock,run,var,log,cache,pool}
	libvirt_user
	libvirtd_conf
	# A daemon that died leaves its guests running; a new one takes them over.
	[[ ! -s $STATE/run/libvirtd.pid ]] || kill_daemon "$(<"$STATE/run/libvirtd.pid")"
	rm -f "$STATE"/run/libvirtd.pid "$STATE"/sock/*
	detached libvirtd "$STATE/log/libvirtd.out" unshare --mount "$BASH" "$HERE/libvirtd-inside.sh" "$STATE" "/run/netns/$NETNS"
	wait_for 60 libvirtd_answers || {
		tail -n 20 "$STATE/log/libvirtd.out" "$STATE/log/libvirtd.log" >&2 || true
		die "libvirtd does not answer at $STATE/sock/libvirt-sock"
	}
	CHANGED+=(libvirtd)
}

# kill_daemon PID : only if it is ours.
kill_daemon() {
	grep -qs "/sandbox-$NAME/libvirtd" "/proc/$1/cgroup" || return 0
	kill -KILL "$1" 2>/dev/null || true
}

libvirtd_conf() {
	cat >"$STATE/etc/libvirtd.conf" <<-EOF
		unix_sock_dir = "$STATE/sock"
		unix_sock_rw_perms = "0700"
		auth_unix_ro = "none"
		auth_unix_rw = "none"
		listen_tls = 0
		listen_tcp = 0
		log_outputs = "2:file:$STATE/log/libvirtd.log"
	EOF
	cat >"$STATE/etc/qemu.conf" <<-EOF
		security_driver = "none"
		user = "root"
		group = "root"
		dynamic_ownership = 0
		remember_owner = 0
		namespaces = []
		cgroup_controllers = []
		stdio_handler = "file"
	EOF
}

pool_up() {
	if ! libvirt pool-info "$POOL" >/dev/null 2>&1; then
		libvirt pool-define-as "$POOL" dir --target "$STATE/pool"
		libvirt pool-autostart "$POOL"
		CHANGED+=("pool $POOL")
	fi
	libvirt pool-list --name | grep -w "$POOL" >/dev/null || libvirt pool-start "$POOL"
}

# The bridge is ours, not libvirt's, so that machines can be on it without libvirt.
network_up() {
	if ! libvirt net-info "$NETWORK" >/dev/null 2>&1; then
		libvirt net-define /dev/stdin <<-EOF
			<network><name>$NETWORK</name><forward mode='bridge'/><bridge name='$BRIDGE'/></network>
		EOF
		libvirt net-autostart "$NETWORK"
		CHANGED+=("network $NETWORK")
	fi
	libvirt net-list --name | grep -w "$NETWORK" >/dev/null || libvirt net-start "$NETWORK"
}

# volume_name KIND
volume_name() {
	case $1 in
	baked) echo "quorum-base-debian$DEBIAN.qcow2" ;;
	stock) echo "quorum-stock-debian$DEBIAN.qcow2" ;;
	esac
}

# volume_up KIND : the image's disk in the pool. A copy: a domain that uses the volume itself must not change the image.
volume_up() {
	local volume image
	volume=$(volume_name "$1")
	image=$(image_ready "$1")
	if [[ $(cat "$STATE/pool.$volume" 2>/dev/null) == "$image" ]] && libvirt vol-info --pool "$POOL" "$volume" >/dev/null 2>&1; then
		return
	fi
	# Guests that are there have the old one as their backing file.
	if [[ -n $(libvirt list --all --name) ]]; then
		say "$volume is of an older image and stays so while there are domains"
		return
	fi
	cp --reflink=auto --sparse=always "$image/disk.qcow2" "$STATE/pool/.$volume"
	mv "$STATE/pool/.$volume" "$STATE/pool/$volume"
	libvirt pool-refresh "$POOL"
	libvirt vol-info --pool "$POOL" "$volume" >/dev/null || die "$volume did not come up in pool $POOL"
	echo "$image" >"$STATE/pool.$volume"
	CHANGED+=("volume $volume")
}
