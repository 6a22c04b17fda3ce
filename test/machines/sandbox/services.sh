# shellcheck shell=bash
# Servers on the bridge's address, for guests that can reach nothing else. "down" ends them.

APT_PORT=3142

# answers URL : any HTTP answer will do.
answers() { in_netns curl -s -o /dev/null --noproxy '*' --max-time 2 "$1"; }

# service NAME URL COMMAND... : runs COMMAND unless it runs, until URL answers.
service() {
	local name=$1 url=$2 group
	shift 2
	group=$(cgroup_root)/$name
	if cgroup_idle "$group"; then
		mkdir -p "$STATE/log"
		detached "$name" "$STATE/log/$name.log" "$@"
	fi
	wait_for 15 answers "$url" || {
		cat "$STATE/log/$name.log" >&2
		die "nothing answers at $url"
	}
}

# serve DIR : every directory has a port of its own, from 8080 on.
serve() {
	local dir port=8080 owner
	need_root
	need_up
	[[ -d $1 ]] || usage_error "serve: no directory \"$1\""
	dir=$(realpath "$1")
	lock "$CACHE/sandbox/.$NAME.lock" 120
	mkdir -p "$STATE/serve"
	while owner=$(cat "$STATE/serve/$port" 2>/dev/null) && [[ $owner != "$dir" ]]; do
		port=$((port + 1))
	done
	echo "$dir" >"$STATE/serve/$port"
	service "serve-$port" "http://$GATEWAY:$port/" nsenter --net="/run/netns/$NETNS" \
		"$PYTHON" -m http.server --bind "$GATEWAY" --directory "$dir" "$port"
	echo "http://$GATEWAY:$port"
}

# apt_proxy : to the mirrors of the host's own apt sources, and to nothing else.
apt_proxy() {
	local uri proxy args=()
	read_host_sources
	need_root
	need_up
	lock "$CACHE/sandbox/.$NAME.lock" 120
	while read -r uri _; do
		args+=(--mirror "$uri")
	done < <(sources_for "$SUITE" | awk '{ print $2 }' | sort -u)
	proxy=$(host_apt_options | sed -n 's/^Acquire::http::Proxy "\(.*\)";$/\1/p')
	[[ -z $proxy ]] || args+=(--upstream-proxy "$proxy")
	# It listens in the sandbox's namespace and connects in the host's, also when started from "sandbox shell".
	service apt-proxy "http://$GATEWAY:$APT_PORT/" nsenter --net="$HOST_NETNS" \
		"$PYTHON" "$HERE/apt-proxy.py" --netns "/run/netns/$NETNS" --listen "$GATEWAY:$APT_PORT" --cache "$CACHE/apt" "${args[@]}"
	echo "http://$GATEWAY:$APT_PORT"
}

# ntp : the host's time.
ntp() {
	need_root
	need_up
	lock "$CACHE/sandbox/.$NAME.lock" 120
	mkdir -p "$STATE/log"
	cgroup_busy "$(cgroup_root)/ntp" || detached ntp "$STATE/log/ntp.log" nsenter --net="/run/netns/$NETNS" "$PYTHON" "$HERE/ntp.py" "$GATEWAY"
	echo "$GATEWAY"
}
