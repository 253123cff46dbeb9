# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts share: messages, places, locks, files that appear whole.

set -euo pipefail

# shellcheck disable=SC2034 # for those who source this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# This program's name for this script in messages.
me=${0##*/}

# Scripts start makes of their own, which are no part of the one above them.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES

say()
{
	printf '%s: %s\n' "$me" "$*" >&2
}

die()
{
	say "$*"
	exit 1
}

# make takes a space for the end of a name.
[[ $top != *[[:space:]]* ]] || die "the path of this directory has a space: $top"

# A path that is not absolute is to be ignored, says the XDG's specification.
[[ ${XDG_CACHE_HOME:-} == /* ]] || XDG_CACHE_HOME=
[ -n "$XDG_CACHE_HOME${HOME:-}" ] || die "HOME is not set: where is the cache?"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/taskacct

# Run "$@" while holding the lock NAME of the cache. Not to be called where
# failures are tested for: that would turn set -e off inside.
locked()
{
	local name=$1 fd

	shift
	mkdir -p "$cache/lock"
	exec {fd}<>"$cache/lock/$name"
	flock -n "$fd" || {
		say "waiting for another run that holds $cache/lock/$name"
		flock "$fd"
	}
	"$@" {fd}>&-
	exec {fd}>&-
}

# Wait for one of the machine's two places for a VM. It is held by the open file
# $slot_fd, which QEMU inherits: a place is free when its VM is gone. Who waits
# stands in a queue, for the first to come to be served first.
# shellcheck disable=SC2034 # slot_fd is for those who source this
take_slot()
{
	local slot queue_fd told=

	mkdir -p "$cache/lock"
	exec {queue_fd}<>"$cache/lock/vm-queue"
	flock -n "$queue_fd" || {
		say "waiting in the queue for a place for a VM"
		flock "$queue_fd"
	}
	while :; do
		for slot in 1 2; do
			exec {slot_fd}<>"$cache/lock/vm-$slot"
			flock -n "$slot_fd" && break 2
			exec {slot_fd}>&-
		done
		[ -n "$told" ] || say "two VMs are running; waiting for one to end"
		told=1
		sleep 0.5
	done
	exec {queue_fd}>&-
}

# The release name of the kernel whose build directory is $1.
kernel_release()
{
	local file=$1/include/generated/utsrelease.h

	if [ -r "$file" ]; then
		sed -n 's/.*UTS_RELEASE "\(.*\)".*/\1/p' "$file"
	else
		make -s -C "$1" kernelrelease
	fi
}

# The value of LLVM= for a module of the kernel of build directory $1, from the environment or
# where that kernel was compiled by clang; by the version, if its program has that in
# its name.
llvm_of()
{
	local version

	version=$(sed -n 's/^CONFIG_CLANG_VERSION=\([1-9][0-9]*\)....$/\1/p' \
		"$1/.config")
	if [ -n "${LLVM:-}" ] || [ -z "$version" ]; then
		echo "${LLVM:-}"
	elif [ "${1#"$cache"}" != "$1" ]; then
		command -v "clang-$version" >/dev/null || "$top/scripts/setup" clang >&2
		echo "-$version"
	elif command -v "clang-$version" >/dev/null; then
		echo "-$version"
	else
		echo 1
	fi
}

# The line of architecture $1, as Debian calls it, in scripts/architectures.tab.
arch_line()
{
	awk -v name="$1" '$1 == name' "$top/scripts/architectures.tab"
}

# Debian's name for the architecture of the kernel of build directory $1, if it is one
# that this machine has to compile for with another compiler.
foreign_arch()
{
	local name option triplet

	while read -r name _ option triplet _; do
		if [[ $triplet != "$(uname -m)"-* ]] &&
			grep -qsx "CONFIG_$option=y" "$1/.config"; then
			echo "$name"
			return
		fi
	done < <(grep '^[^#]' "$top/scripts/architectures.tab")
}

# What the names of the programs begin with that compile for architecture $1. They are
# installed where they are missing.
cross_prefix()
{
	local triplet

	read -r _ _ _ triplet _ < <(arch_line "$1") ||
		die "no compiler is known for architecture '$1'"
	command -v "$triplet-gcc-12" >/dev/null || "$top/scripts/setup" "$1"
	echo "$triplet-"
}

# Have what is compiled from here on taken from the cache where it was compiled before, in an
# earlier clone at this path. ccache is a tool of the tests.
keep_objects()
{
	[[ $PATH == /usr/lib/ccache:* ]] || export PATH=/usr/lib/ccache:$PATH
	export CCACHE_DIR=$cache/ccache CCACHE_MAXSIZE=1G CCACHE_DEPEND=1
}

# Build the external module in directory $2 for KDIR $1, quietly unless V=1.
# Packaged headers want pahole for BTF and, where the kernel's compiler was
# newer than ours, an option that ours lacks; a module needs neither. Stock kernels
# have one compiler for all of them, where it can be had. Plain nm loads LLVM with each
# object where that has left a plugin; the compiler's loads the compiler's alone.
kernel_make()
{
	local kdir=$1 dir=$2 cc=gcc-12 llvm arch karch prefix=

	shift 2
	arch=$(foreign_arch "$kdir")
	[ -z "$arch" ] || {
		prefix=$(cross_prefix "$arch")
		read -r _ karch _ < <(arch_line "$arch")
		set -- ARCH="$karch" CROSS_COMPILE="$prefix" "$@"
	}
	cc=$prefix$cc
	command -v "$cc" >/dev/null || cc=gcc
	llvm=$(llvm_of "$kdir")
	case $llvm in
	'') ;;
	-*) cc=clang$llvm ;;
	*) cc=clang ;;
	esac
	set -- make -j "$(nproc)" -C "$kdir" M="$dir" V="${V:-0}" \
		${llvm:+LLVM="$llvm"} ${arch:+CC="$cc"} "$@"
	if [ "${kdir#"$cache"}" != "$kdir" ] &&
		[ -e "$kdir/.kernelvariables" ]; then
		set -- "$@" CC="$cc" CONFIG_DEBUG_INFO_BTF_MODULES= \
			NM="${cc/gcc/gcc-nm}" CONFIG_PAHOLE_VERSION=0 \
			CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=
	fi
	"$@" --no-print-directory
}

# Copy the files that git knows, and those that are new, below directory $1.
export_tree()
{
	local name

	git -C "$top" ls-files -z --cached --others --exclude-standard |
		while IFS= read -r -d '' name; do
			[ ! -f "$top/$name" ] || printf '%s\0' "$name"
		done | (cd "$top" && xargs -0 cp --parents -Pt "$1")
}
