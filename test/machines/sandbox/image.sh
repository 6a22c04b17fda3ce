# shellcheck shell=bash
# Guest images: a root file system directory (lower layer of nspawn machines) and a bootable disk of the same files.
# A finished image is never changed; its name is a hash of all that made it.

# What the roles of this package install. "baked" images have it, "stock" images do not.
ROLE_PACKAGES=(etcd-server etcd-client nftables chrony prometheus-node-exporter postgresql postgresql-common python3-etcd patroni pgbackrest restic haproxy keepalived pgbouncer)

# What cloud images of the distribution have and the project counts on.
BASE_PACKAGES=(linux-image-cloud-amd64 initramfs-tools systemd systemd-sysv systemd-resolved udev dbus libpam-systemd kmod
	cloud-init cloud-guest-utils python3 python3-yaml openssh-server sudo iproute2 iputils-ping procps
	ca-certificates curl openssl fdisk e2fsprogs util-linux less locales)

# read_host_sources : sets HOST_SOURCES, one "URI SUITE" a line, from the host's own apt sources.
# Once in the main shell: apt takes its time.
read_host_sources() {
	[[ -z ${HOST_SOURCES:-} ]] || return 0
	# shellcheck disable=SC2016 # apt's own placeholders
	HOST_SOURCES=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk '$3 == "main" { print $1, $2 }' | sort -u)
}

# sources_for SUITE : sources.list lines for SUITE on the mirrors that the host's apt uses for its own release.
sources_for() {
	local own uri suite found=
	own=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	while read -r uri suite; do
		case $suite in
		"$own") found=1 ;;
		"$own"-updates | "$own"-security) ;;
		*) continue ;;
		esac
		echo "deb $uri ${suite/#$own/$1} main"
	done <<<"$HOST_SOURCES"
	[[ $found ]] || die "found no Debian mirror in this host's apt sources"
}

# host_apt_options : the host's settings for reaching its mirrors and trusting their dates.
host_apt_options() {
	apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) ' | grep -v ' "";$' || true
}

# image_dir KIND : where the image is or will be.
image_dir() {
	local hash
	hash=$({
		cat "$HERE"/{image,tune,disk}.sh
		sources_for "$SUITE"
		echo "$1 $DEBIAN"
	} | sha256sum | cut -c1-12)
	echo "$CACHE/images/$1-debian$DEBIAN-$hash"
}

# image_ready KIND : its directory when it is built, else nothing.
image_ready() {
	local dir
	dir=$(image_dir "$1")
	[[ ! -d $dir ]] || echo "$dir"
}

# image KIND : builds it unless it is there; sets IMAGE to its directory.
image() {
	local kind=$1
	IMAGE=$(image_dir "$kind")
	[[ ! -d $IMAGE ]] || return 0
	need_root
	# One at a time, whatever the kind: a build fills the machine.
	(
		lock "$CACHE/images/.lock" 1800
		[[ -d $IMAGE ]] || build_image "$kind" "$IMAGE"
	)
}

build_image() {
	local kind=$1 out=$2 start=$SECONDS build
	rm -rf --one-file-system "$CACHE"/images/.build.*
	build=$(mktemp -d "$CACHE/images/.build.XXXXXX")
	# shellcheck disable=SC2064 # the directory of now
	trap "rm -rf --one-file-system '$build'" EXIT
	chmod 0755 "$build"
	say "building image $kind-debian$DEBIAN"
	mkdir "$build/root" # mmdebstrap wants an empty directory
	root_fs "$kind" "$build"
	boot_disk "$build/root" "$build"
	mv "$build/root" "$build/rootfs"
	mv -T "$build" "$out"
	trap - EXIT
	say "built $out in $((SECONDS - start)) s"
}

root_fs() {
	local kind=$1 build=$2 packages option options=()
	packages=("${BASE_PACKAGES[@]}")
	[[ $kind == stock ]] || packages+=("${ROLE_PACKAGES[@]}")
	while read -r option; do
		options+=("--aptopt=${option%;}")
	done < <(host_apt_options)
	sources_for "$SUITE" >"$build/sources"
	# Its own mount namespace: whatever interrupts the build, no mount outlives it.
	quietly "$build/build.log" unshare --mount \
		env TMPDIR="$build" mmdebstrap --mode=root --variant=minbase --components=main \
		--aptopt='Apt::Install-Recommends "false"' "${options[@]}" \
		--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--setup-hook="mkdir -p \"\$1/etc/initramfs-tools/conf.d\"" \
		--setup-hook="printf 'MODULES=list\nCOMPRESS=gzip\n' >\"\$1/etc/initramfs-tools/conf.d/sandbox.conf\"" \
		--setup-hook="mkdir -p \"\$1/etc/postgresql-common\"" \
		--setup-hook="echo create_main_cluster = false >\"\$1/etc/postgresql-common/createcluster.conf\"" \
		--include="$(IFS=,; echo "${packages[*]}")" \
		"$SUITE" "$build/root" - <"$build/sources"
	[[ $kind == stock ]] || idle_roles "$build/root"
	chroot "$build/root" localedef -i en_US -f UTF-8 en_US.UTF-8 # how it sorts depends on the release
	tune "$build/root"
}

# idle_roles ROOT : what a role needs is started by the role, not by its being installed.
idle_roles() {
	local unit
	for unit in $(chroot "$1" dpkg -L "${ROLE_PACKAGES[@]}" | grep -E '/systemd/system/[^/]+\.(service|timer|socket)$' | xargs -rn1 basename | sort -u); do
		systemctl --root="$1" --quiet disable "$unit"
	done
}
