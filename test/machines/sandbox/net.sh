# shellcheck shell=bash
# The network namespace and its bridge: guests, machines and the programs under test meet there, and nowhere else.

HOST_NETNS=$STATE/host-netns

netns_exists() { [[ -e /run/netns/$NETNS ]] && nsenter --net="/run/netns/$NETNS" true 2>/dev/null; }
in_netns() { nsenter --net="/run/netns/$NETNS" "$@"; }
link_exists() { ip -n "$NETNS" link show dev "$1" >/dev/null 2>&1; }
link_gone() { ! link_exists "$1"; }

net_up() {
	# Kept for servers that connect from the host's namespace, even when started from within "sandbox shell".
	if ! nsenter --net="$HOST_NETNS" true 2>/dev/null; then
		touch "$HOST_NETNS"
		mount --bind /proc/self/ns/net "$HOST_NETNS"
	fi
	if ! netns_exists; then
		rm -f "/run/netns/$NETNS" # left by a crash
		ip netns add "$NETNS"
		CHANGED+=("namespace $NETNS")
	fi
	ip -n "$NETNS" link set lo up
	if ! link_exists "$BRIDGE"; then
		# A fixed address: else the bridge takes the lowest of its ports', and guests lose it as ports come and go.
		ip -n "$NETNS" link add "$BRIDGE" address 52:54:00:00:77:01 type bridge
		CHANGED+=("bridge $BRIDGE")
	fi
	ip -n "$NETNS" addr replace "$GATEWAY/${SUBNET#*/}" dev "$BRIDGE"
	ip -n "$NETNS" link set "$BRIDGE" up
}

# net_down : ends what still runs in the namespace, except this program and its ancestors, and removes it.
net_down() {
	local pid own=$$ signal family=" "
	[[ -e /run/netns/$NETNS ]] || return 0
	if netns_exists; then
		while ((own > 1)); do
			family+="$own "
			own=$(awk '/^PPid:/ { print $2 }' "/proc/$own/status")
		done
		for signal in TERM KILL; do
			for pid in $(ip netns pids "$NETNS"); do
				[[ $family == *" $pid "* ]] || kill -s "$signal" "$pid" 2>/dev/null || true
			done
			wait_for 3 netns_deserted "$family" && break
		done
	fi
	ip netns del "$NETNS"
}

netns_deserted() {
	local pid
	for pid in $(ip netns pids "$NETNS"); do
		[[ $1 == *" $pid "* ]] || return 1
	done
}

# shell [COMMAND...] : in the namespace, with everything else as it was.
shell() {
	need_root
	need_up
	(($#)) || set -- "${SHELL:-/bin/bash}"
	export LIBVIRT_DEFAULT_URI=$URI QUORUM_SANDBOX=$NAME QUORUM_CACHE=$CACHE
	exec nsenter --net="/run/netns/$NETNS" "$@"
}
