# shellcheck shell=bash
# Root file systems that have, beside the packages of their own release, some of another one: another major version of
# PostgreSQL, as the PostgreSQL project's repository has it for each release.

# beside SUITE PACKAGE... : prints a root file system that has what "baked" has, and packages of SUITE unpacked over it.
# What they depend on must be named too.
beside() {
	local suite=${1:?beside SUITE PACKAGE...} root own packages
	shift
	need_root
	read_host_sources
	image baked
	root=$CACHE/images/beside-$suite-$(echo "$(basename "$IMAGE") $*" | sha256sum | cut -c1-12)
	if [[ ! -d $root ]]; then
		rm -rf --one-file-system "$root.new"
		packages=$root.new/packages
		mkdir -p "$packages"/{lists/partial,cache/archives/partial}
		sources_for "$suite" >"$packages/sources.list"
		own=(-o "Dir::Etc::SourceList=$packages/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$packages/lists"
			-o "Dir::Cache=$packages/cache" -o Dir::State::status=/dev/null -o APT::Sandbox::User=root)
		quietly "$packages/log" apt-get "${own[@]}" update
		(cd "$packages" && quietly "$packages/log" apt-get "${own[@]}" download "$@")
		cp -al "$IMAGE/rootfs" "$root.new/rootfs" # files are replaced, not written to
		find "$packages" -maxdepth 1 -name '*.deb' -exec dpkg-deb --extract {} "$root.new/rootfs" \;
		rm -r "$packages"
		mv -T "$root.new" "$root"
	fi
	echo "$root/rootfs"
}
