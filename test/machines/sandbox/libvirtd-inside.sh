#!/bin/bash
# libvirtd-inside.sh STATE NETNS : run by libvirtd.sh in a mount namespace of its own.
# libvirtd's paths are compiled in, so they are covered by the sandbox's.
set -euo pipefail
state=$1
mount --make-rprivate /
while read -r own path; do
	mkdir -p "$path"
	mount --bind "$state/$own" "$path"
done <<EOF
etc /etc/libvirt
run /run/libvirt
var /var/lib/libvirt
log /var/log/libvirt
cache /var/cache/libvirt
EOF
exec nsenter --net="$2" libvirtd -f /etc/libvirt/libvirtd.conf -p "$state/run/libvirtd.pid"
