# shellcheck shell=bash
# Up, down and status of the whole.

TOOLS=(ip nsenter unshare flock findmnt losetup systemd-nspawn ssh-keygen curl jq)
VM_TOOLS=(libvirtd virsh qemu-system-x86_64 qemu-img mmdebstrap mkisofs grub-mkimage sfdisk mkfs.ext4 cpio)

up() {
	local images=1 vms=1 kinds=(baked) kind tool
	CHANGED=()
	while (($#)); do
		case $1 in
		--stock) kinds+=(stock) ;;
		--no-images) images= ;;
		--nspawn-only) images='' vms='' ;;
		*) usage_error "up: no option \"$1\"" ;;
		esac
		shift
	done
	need_root
	for tool in "${TOOLS[@]}" ${vms:+"${VM_TOOLS[@]}"}; do
		command -v "$tool" >/dev/null || die "$tool is missing: run \"sandbox install\""
	done
	read_host_sources
	# Before the lock of this sandbox: a build takes minutes.
	for kind in ${images:+"${kinds[@]}"}; do
		image "$kind"
	done
	lock "$CACHE/sandbox/.$NAME.lock" 300
	mkdir -p "$STATE"
	chmod 0700 "$STATE"
	net_up
	ssh_key
	if [[ $vms ]]; then
		libvirtd_up
		pool_up
		network_up
	fi
	for kind in ${images:+"${kinds[@]}"}; do
		volume_up "$kind"
	done
	[[ ! $images ]] || probe_kvm "$(image_ready baked)"
	if ((${#CHANGED[@]})); then
		say "up: $(printf '%s, ' "${CHANGED[@]}" | sed 's/, $//')"
	else
		say "everything was up already"
	fi
}

ssh_key() {
	[[ -f $STATE/ssh/id_ed25519 ]] && return
	mkdir -p "$STATE/ssh"
	ssh-keygen -q -t ed25519 -N '' -C "sandbox $NAME" -f "$STATE/ssh/id_ed25519"
	CHANGED+=("ssh key")
}

# down : all processes first; what they held goes with them or right after.
down() {
	local device file mount
	need_root
	lock "$CACHE/sandbox/.$NAME.lock" 300
	cgroup_kill "$(cgroup_root)"
	net_down
	while read -r device file; do
		[[ $file != "$STATE"/* ]] || losetup --detach "$device"
	done < <(losetup --list --noheadings --output NAME,BACK-FILE)
	while read -r mount; do
		[[ $mount != "$STATE"/* ]] || umount "$mount"
	done < <(findmnt -rn -o TARGET | tac)
	rm -rf --one-file-system "$STATE"
}

# rootfs KIND : of a built image, else nothing.
rootfs() {
	local dir
	dir=$(image_ready "$1")
	[[ -z $dir ]] || echo "$dir/rootfs"
}

status_json() {
	local up=false vms=false
	read_host_sources
	! netns_exists || up=true
	! libvirtd_answers || vms=true
	jq -n --arg namespace "$NETNS" --arg uri "$URI" --arg pool "$POOL" --arg network "$NETWORK" --arg bridge "$BRIDGE" \
		--arg gateway "$GATEWAY" --arg subnet "$SUBNET" --arg domainType "$(domain_type)" \
		--arg baked "$(rootfs baked)" --arg stock "$(rootfs stock)" \
		--arg baseVolume "$(volume_name baked)" --arg stockVolume "$(volume_name stock)" \
		--arg sshKey "$STATE/ssh/id_ed25519" --arg state "$STATE" --argjson up $up --argjson libvirtd $vms '$ARGS.named'
}

status() {
	case ${1:-} in
	--json) status_json ;;
	'') status_json | jq -r 'to_entries[] | "\(.key): \(.value)"' && machine_list ;;
	*) usage_error "status: no option \"$1\"" ;;
	esac
}
