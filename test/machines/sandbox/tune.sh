# shellcheck shell=bash
# Makes a root file system cheap to boot under emulation. Nothing here changes what the
# project's user data means: all of it is configuration of the image, which user data overrides.

# Units that a short-lived guest does not need; together they cost about 20 s of an emulated boot.
IDLE_UNITS=(e2scrub_reap.service e2scrub_all.timer apt-daily.timer apt-daily-upgrade.timer apt-daily.service
	apt-daily-upgrade.service dpkg-db-backup.timer fstrim.timer man-db.timer systemd-binfmt.service
	modprobe@dm_mod.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service
	modprobe@loop.service modprobe@configfs.service dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount
	sys-kernel-tracing.mount sys-fs-fuse-connections.mount sys-kernel-config.mount kmod-static-nodes.service
	systemd-pstore.service getty@tty1.service systemd-network-generator.service systemd-pcrphase.service
	systemd-pcrphase-sysinit.service systemd-pcrphase-initrd.service systemd-pcrmachine.service
	systemd-tpm2-setup.service systemd-tpm2-setup-early.service systemd-update-utmp.service
	systemd-update-utmp-runlevel.service systemd-journal-flush.service proc-sys-fs-binfmt_misc.automount
	systemd-ask-password-console.path systemd-ask-password-wall.path)

# cdrom, sr_mod and isofs are not among them: the cloud-init drive needs them.
IDLE_MODULES=(kvm kvm_amd kvm_intel sg bochs cirrus qxl drm psmouse i2c_piix4 pcspkr floppy virtio_balloon uhci_hcd ehci_pci serio_raw joydev)

IDLE_GENERATORS=(netplan systemd-gpt-auto-generator systemd-hibernate-resume-generator systemd-cryptsetup-generator
	systemd-veritysetup-generator systemd-integritysetup-generator systemd-rc-local-generator systemd-sysv-generator
	systemd-tpm2-generator systemd-ssh-generator)

# Interfaces may be named so by network configuration or by the kernel.
INTERFACES=(eth0 eth1 eth2 eth3 ens2 ens3 ens4 ens5 enp0s2 enp0s3 enp0s4 enp1s0)

tune() {
	tune_systemd "$1"
	tune_cloud_init "$1"
	tune_network "$1"
	tune_apt "$1"
	touch "$1/etc/.updated" "$1/var/.updated" # newer than /usr: else ldconfig and its like run at each first boot
	: >"$1/etc/machine-id" # empty, not absent: absent is a first boot, which enables all services
	rm -f "$1"/etc/hostname "$1"/etc/ssh/ssh_host_* "$1"/var/lib/dbus/machine-id
}

tune_systemd() {
	local root=$1 unit generator
	for unit in "${IDLE_UNITS[@]}"; do
		ln -sf /dev/null "$root/etc/systemd/system/$unit"
	done
	for generator in "${IDLE_GENERATORS[@]}"; do
		rm -f "$root/usr/lib/systemd/system-generators/$generator" "$root/lib/systemd/system-generators/$generator"
	done
	mkdir -p "$root"/etc/systemd/{journald,system}.conf.d "$root/etc/modprobe.d"
	printf '[Journal]\nStorage=volatile\n' >"$root/etc/systemd/journald.conf.d/sandbox.conf"
	printf '[Manager]\nDefaultTimeoutStartSec=600s\nDefaultTimeoutStopSec=30s\nDefaultDeviceTimeoutSec=600s\nShowStatus=no\n' \
		>"$root/etc/systemd/system.conf.d/sandbox.conf"
	printf 'blacklist %s\n' "${IDLE_MODULES[@]}" >"$root/etc/modprobe.d/sandbox.conf"
	printf '/dev/vda1 / ext4 defaults,noatime 0 0\n' >"$root/etc/fstab"
}

tune_cloud_init() {
	local dir=$1/etc/cloud
	echo 'policy: search,found=first,maybe=none,notfound=disabled' >"$dir/ds-identify.cfg"
	echo 'datasource_list: [NoCloud]' >"$dir/cloud.cfg.d/90_dpkg.cfg"
	cat >"$dir/cloud.cfg.d/99_sandbox.cfg" <<-EOF
		system_info: {network: {renderers: [networkd]}}
		ssh_genkeytypes: [ed25519]
		ssh: {emit_keys_to_console: false}
		no_ssh_fingerprints: true
		growpart: {mode: "off"}
		resize_rootfs: false
		locale: false
		grub_dpkg: {enabled: false}
		apt: {preserve_sources_list: true}
	EOF
}

# networkd waits 12 s for a router at every boot unless told that there is none.
tune_network() {
	local root=$1 interface dir
	systemctl --root="$root" --quiet enable systemd-networkd.service
	for interface in "${INTERFACES[@]}"; do
		dir=$root/etc/systemd/network/10-cloud-init-$interface.network.d
		mkdir -p "$dir"
		printf '[Network]\nIPv6AcceptRA=no\n' >"$dir/sandbox.conf"
	done
}

# The guest's apt is as the distribution has it, but for the dates of the mirror, as on this host.
# Plain http: the sandbox's apt proxy (apt-proxy.py) fetches by whatever the host's sources say.
tune_apt() {
	local root=$1
	rm -f "$root"/etc/apt/apt.conf.d/99mmdebstrap
	rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin
	host_apt_options | grep -v Proxy >"$root/etc/apt/apt.conf.d/99sandbox" || rm -f "$root/etc/apt/apt.conf.d/99sandbox"
	sed -i 's,https://,http://,' "$root/etc/apt/sources.list"
}
