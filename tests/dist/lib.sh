# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of installing share. Their tests build on each other.

. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"
# What users compile is compiled as they do it.
export CCACHE_DISABLE=1

# shellcheck disable=SC2034 # for the tests
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")

# Make an overlay of this system below $1, whose changes lie in memory and go with it, and
# run the script $2 inside, with the argument "inside".
enter()
{
	local root=$1/root dir

	mount -t tmpfs tmpfs "$1"
	mkdir "$1/upper" "$1/work" "$root"
	mount -t overlay overlay -o \
		"lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$root"
	for dir in /proc /dev /sys; do
		mount --rbind "$dir" "$root$dir"
	done
	# They need not lie in the file system of the root.
	for dir in "$top" "$cache"; do
		mkdir -p "$root$dir"
		mount --bind "$dir" "$root$dir"
		mount -o remount,bind,ro "$root$dir"
	done
	exec chroot "$root" "$2" inside
}

# Go on with the script $1 in such an overlay, in a mount namespace of its own.
go_inside()
{
	local as_root=()

	[ "$(id -u)" = 0 ] || as_root=(sudo)
	dir=$(mktemp -d)
	trap 'rmdir "$dir"' EXIT
	"${as_root[@]}" env XDG_CACHE_HOME="${cache%/taskacct}" \
		unshare --mount "$1" enter "$dir"
}

# Debian's dkms, which the cache has unpacked, and nothing that it has built before
install_dkms()
{
	rm -rf /var/lib/dkms /usr/src/taskacct-*
	cp -r "$cache"/clients/{etc,usr,var} /
}

# The headers of a kernel and its list of modules where its packages put them; its release
# is added to those in releases.
install_kernel()
{
	local from=$cache/$1 release

	release=$(cat "$from/release")
	rm -rf "/lib/modules/$release"
	mkdir -p "/lib/modules/$release"
	ln -s "$from/build" "$from/lib/modules/$release"/{kernel,modules.order} \
		"$from/lib/modules/$release"/modules.builtin* \
		"/lib/modules/$release"
	depmod "$release"
	cp -rs "$from"/usr/lib/linux-kbuild-* /usr/lib 2>/dev/null || :
	releases+=("$release")
}
