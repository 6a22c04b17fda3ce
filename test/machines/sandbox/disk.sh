# shellcheck shell=bash
# A bootable disk from a directory: no loop device, no mount.

DISK_MIB=4096

# The drivers of the root disk, and of the drive with the user data: cloud-init looks for that once, and early.
INITRD_MODULES=(virtio_pci virtio_blk ata_piix sr_mod isofs)

# tiny_initrd ROOT OUT : a few modules, mount, switch_root instead of an initrd of 20 MB: unpacking that
# costs an emulated machine several seconds.
tiny_initrd() {
	local root=$1 out=$2 dir version file files
	dir=$(mktemp -d "$(dirname "$out")/initrd.XXXXXX")
	mkdir -p "$dir"/{bin,dev,proc,sys,root,modules}
	cp /bin/busybox "$dir/bin/busybox"
	ln -s busybox "$dir/bin/sh"
	version=$(basename "$(find "$root/lib/modules" -mindepth 1 -maxdepth 1 | sort -V | tail -n 1)")
	# With what each needs, in the order in which they can be loaded: kernels differ. What is built in is no file.
	files=$(for module in "${INITRD_MODULES[@]}"; do
		chroot "$root" /sbin/modprobe --set-version "$version" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }')
	for file in $files; do
		case $file in
		*.xz) xz -dc "$root$file" >"$dir/modules/$(basename "$file" .xz)" ;;
		*) cp "$root$file" "$dir/modules/" ;;
		esac
	done
	cat >"$dir/init" <<-EOF
		#!/bin/busybox sh
		/bin/busybox mount -t devtmpfs dev /dev
		/bin/busybox mount -t proc proc /proc
		# The boot probe (probe.sh) wants only this line.
		if /bin/busybox grep -q sandbox-probe /proc/cmdline; then
			echo sandbox-probe-alive >/dev/ttyS0
			/bin/busybox reboot -f
		fi
		for module in $(for file in $files; do basename "$file" .xz; done | paste -sd ' '); do
			/bin/busybox insmod /modules/\$module
		done
		i=0
		while { [ ! -b /dev/vda1 ] || [ ! -b /dev/sr0 ]; } && [ \$i -lt 300 ]; do
			/bin/busybox sleep 0.1
			i=\$((i + 1))
		done
		/bin/busybox mount -t ext4 -o noatime /dev/vda1 /root
		/bin/busybox mount --move /dev /root/dev
		/bin/busybox umount /proc
		exec /bin/busybox switch_root /root /sbin/init
	EOF
	chmod 0755 "$dir/init"
	(cd "$dir" && find . | cpio -o -H newc --quiet) >"$out"
	rm -rf "$dir"
}

# boot_disk ROOT DIR : makes DIR/disk.qcow2, and DIR/vmlinuz and DIR/initrd for the boot probe.
boot_disk() {
	local root=$1 dir=$2 raw=$2/disk.raw kernel
	kernel=$(find "$root/boot" -name 'vmlinuz-*' | sort -V | tail -n 1)
	tiny_initrd "$root" "$dir/initrd"
	cp "$kernel" "$dir/vmlinuz"
	cp "$dir/initrd" "$root/boot/initrd.sandbox"
	mkdir -p "$root/boot/grub"
	# clearcpuid=cx16: QEMU 7.2's emulation corrupts cmpxchg16b, and Linux 6.12 double-faults on it.
	cat >"$root/boot/grub/grub.cfg" <<-EOF
		set timeout=0
		linux /boot/$(basename "$kernel") root=/dev/vda1 rw rootfstype=ext4 console=ttyS0,115200n8 quiet loglevel=4 clearcpuid=cx16 mitigations=off nowatchdog audit=0 no_timer_check tsc=reliable random.trust_cpu=on
		initrd /boot/initrd.sandbox
		boot
	EOF
	truncate -s "${DISK_MIB}M" "$raw"
	printf 'label: dos\nstart=2048, type=83, bootable\n' | sfdisk -q "$raw"
	# GRUB 2.06 reads neither of the two features left out.
	mkfs.ext4 -q -F -L root -m 0 -O ^orphan_file,^metadata_csum_seed \
		-E offset=1048576,lazy_itable_init=1,lazy_journal_init=1 -d "$root" "$raw" "$((DISK_MIB - 1))M"
	grub-mkimage -O i386-pc -o "$dir/core.img" -p '(hd0,msdos1)/boot/grub' biosdisk part_msdos ext2 linux normal
	dd if=/usr/lib/grub/i386-pc/boot.img of="$raw" bs=440 count=1 conv=notrunc status=none
	dd if="$dir/core.img" of="$raw" bs=512 seek=1 conv=notrunc status=none
	qemu-img convert -O qcow2 "$raw" "$dir/disk.qcow2"
	rm -f "$raw" "$dir/core.img"
}
