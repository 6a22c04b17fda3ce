# shellcheck shell=bash
# Whether KVM works here. /dev/kvm does not say so: there are hosts where a guest "runs" and never prints a line.

# domain_type : "kvm" or "qemu"; nothing when not probed since this host's boot.
domain_type() {
	local boot type
	if [[ ! -w /dev/kvm ]] || ! virtualizes; then
		echo qemu
	elif read -r boot type 2>/dev/null <"$CACHE/domain-type" && [[ $boot == "$(</proc/sys/kernel/random/boot_id)" ]]; then
		echo "$type"
	fi
}

# virtualizes : the processor does. There are x86 hosts with a /dev/kvm of software alone, and its guests stop anywhere.
virtualizes() { [[ $(uname -m) != x86_64 ]] || grep -qwE 'vmx|svm' /proc/cpuinfo; }

# probe_kvm IMAGE : boots the image's kernel until its first line, 25 s at most.
probe_kvm() {
	local console type=qemu
	[[ -z $(domain_type) ]] || return 0
	console=$STATE/log/probe.console
	mkdir -p "$STATE/log"
	: >"$console"
	timeout --kill-after=1 25 qemu-system-x86_64 -machine pc,accel=kvm -m 256 -nodefaults -display none -no-reboot \
		-serial "file:$console" -kernel "$1/vmlinuz" -initrd "$1/initrd" -append 'console=ttyS0 sandbox-probe' \
		</dev/null >"$STATE/log/probe.log" 2>&1 || true
	! grep -qa sandbox-probe-alive "$console" || type=kvm
	echo "$(</proc/sys/kernel/random/boot_id) $type" >"$CACHE/domain-type"
	CHANGED+=("domain type $type")
}
