#!/bin/bash
# machine-inside.sh NAME ROOTFS DIR [NSPAWN-OPTION...] : run by machine.sh in mount and network namespaces of its own,
# so that no mount is left when it ends, however it ends.
set -euo pipefail
name=$1 rootfs=$2 dir=$3
shift 3
mount --make-rprivate /
# This namespace's interfaces; and one cgroup hierarchy, whatever the host has: systemd 256 boots with no other.
mount -t sysfs -o ro sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mkdir -p /run/systemd/nspawn
mount -t tmpfs tmpfs /run/systemd/nspawn
mount -t overlay overlay -o "lowerdir=$rootfs,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
for _ in {1..100}; do
	[[ ! -e /sys/class/net/eth0 ]] || break
	sleep 0.1
done
ip link set lo up
# The namespace is this process's, not one that nspawn makes, so that the interface survives a reboot of the machine.
# Without CAP_SYS_TIME nothing in it can touch the host's clock.
# Podman makes keyrings, and BPF programs that say which devices a container may use.
export SYSTEMD_NSPAWN_LOCK=0
status=133
while [[ $status == 133 ]]; do # that is how nspawn says that the machine wants to be started again
	status=0
	systemd-nspawn --quiet --directory="$dir/root" --machine="$name" --register=no --keep-unit \
		--network-namespace-path=/proc/self/ns/net --capability=CAP_NET_ADMIN --drop-capability=CAP_SYS_TIME \
		--system-call-filter='@keyring bpf' \
		--resolv-conf=off --timezone=off --link-journal=no --console=read-only "$@" --boot || status=$?
done
exit "$status"
