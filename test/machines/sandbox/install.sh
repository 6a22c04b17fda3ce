# shellcheck shell=bash
# What this host must have. Nothing of it runs by itself: libvirt-daemon-system, which would start a daemon, is not in it.
HOST_PACKAGES=(qemu-system-x86 qemu-utils libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients dnsmasq-base
	iptables mmdebstrap debian-archive-keyring genisoimage grub-pc-bin grub-common busybox-static cpio xz-utils
	fdisk e2fsprogs iproute2 util-linux systemd-container openssl openssh-client curl jq python3 ca-certificates)

# Keyrings of Debian 12's first days do not know Debian 13.
KEYRING=/usr/share/keyrings/debian-archive-trixie-automatic.gpg

installed() {
	local states
	states=$(dpkg-query -W -f '${db:Status-Abbrev}\n' "${HOST_PACKAGES[@]}" 2>/dev/null) || return 1
	[[ -f $KEYRING ]] && ! grep -qv '^ii' <<<"$states"
}

install_host() {
	need_root
	if ! installed; then
		local log
		log=$(mktemp)
		export DEBIAN_FRONTEND=noninteractive
		quietly "$log" apt-get update -q
		quietly "$log" apt-get install -y -q --no-install-recommends "${HOST_PACKAGES[@]}"
		rm -f "$log"
	fi
	libvirt_user
}

# libvirtd looks this user up at its start; libvirt-daemon-system would have made it.
libvirt_user() {
	getent group libvirt-qemu >/dev/null || groupadd -r libvirt-qemu
	getent passwd libvirt-qemu >/dev/null ||
		useradd -r -g libvirt-qemu -d /var/lib/libvirt -s /usr/sbin/nologin libvirt-qemu
}
