# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests with other people's clients share. Each is a script for the VM,
# started without taskacct. Where the kernel has TASKSTATS, the family is called
# TASKACCTS and clients are copies in which these eight letters are changed;
# else it is called TASKSTATS and they are as Debian or the kernel's source
# have them.
#
# All of them know version 13 of the struct. On kernels with a newer one they use the
# fields that they know (R29); on 5.10 they see fewer. What they show is compared with
# what a load of known size (load.c) did, and the module's own statistics prove that
# their requests came to it.

. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"

clients=$top/build/clients
# For each request of this device a task waits so long at least; and so much is moved.
device=/dev/nullb0
request_ms=20
# shellcheck disable=SC2034 # for the tests
request_kib=64

family=
load=

# Fail unless $2 is a number between $1 and $3; any of them may be a fraction.
between()
{
	echo "between $1 and $3: $2"
	awk -v low="$1" -v x="$2" -v high="$3" 'BEGIN {
		exit !(x ~ /^[0-9.]+$/ && x + 0 >= low + 0 &&
			x + 0 <= high + 0) }'
}

# Fail unless "$2" is "$1".
equal()
{
	echo "wanted '$1', have '$2'"
	[ "$1" = "$2" ]
}

# Wait until "$@" succeeds, but not for ever.
await()
{
	local tries

	for ((tries = 0; tries < 300; tries++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "in vain: $*"
	return 1
}

# Start a load with the steps "$@"; its pid is in $load.
start_load()
{
	: >"$work/words"
	"$work/load" "$@" <>"$work/orders" >"$work/words" &
	# shellcheck disable=SC2034 # for the tests
	load=$!
}

# Wait until the load has said $1.
heard()
{
	await grep -qx "$1" "$work/words"
}

# Let the load go on from where it waits.
go_on()
{
	echo >"$work/orders"
}

# Has process $1 used the CPU for $2 microseconds, as the kernel accounts it? It samples
# at each tick, and ticks are lost where the host takes the CPU away: so no load uses a
# known time of it.
has_used()
{
	getdelays --family "$family" --json -t "$1" | tr ',' '\n' |
		awk -F: -v least="$2" '
		$1 ~ /ac_[us]time"/ { used += $2 }
		END { exit !(used >= least) }'
}

# Microseconds since 1970
now()
{
	date +%s%6N
}

# Wait until task $1 stands still, and what is kept of it with it.
settle()
{
	local before=

	until [ "$before" = "$(grep _switches "/proc/$1/status")" ]; do
		before=$(grep _switches "/proc/$1/status")
		sleep 0.1
	done
}

# Value of KEY in a file of lines "KEY: VALUE", such as /proc/PID/io.
value()
{
	awk -v key="$1:" '$1 == key { print $2; exit }' "$2"
}

# What the module says of itself, and a line for each listener.
status()
{
	taskacct status --family "$family" --json
}

# One of the module's statistics.
figure()
{
	status | sed -n "1s/.*\"$1\":\([0-9]*\).*/\1/p"
}

# Is there a listener of that name?
listens()
{
	status | grep "\"comm\":\"$1\".*\"made\":" >/dev/null
}

# Have queries been answered since the figure was $1? At least $2 of them.
answered()
{
	between "$2" "$(($(figure queries) - $1))" 1000000000
}

# Does this kernel count how long tasks wait for a CPU (SCHED_INFO)?
counts_cpu_waits()
{
	[ -r /proc/self/schedstat ]
}

# A device whose requests take their time; there is no I/O to see without. They take
# a millisecond more than is waited for them: they are under way when a task begins to.
need_io()
{
	[ -r /proc/self/io ] ||
		skip "this kernel does not account I/O (TASK_IO_ACCOUNTING)"
	[ -b "$device" ] || modprobe null_blk nr_devices=1 gb=1 queue_mode=2 \
		irqmode=2 completion_nsec=$(((request_ms + 1) * 1000000))
	await test -b "$device"
}

# Print where client $1 is: debian/NAME or linux/NAME.
client()
{
	local from=$clients/$1 to=$work/bin/${1##*/}

	if [ "$family" = TASKSTATS ]; then
		echo "$from"
		return
	fi
	if [ ! -e "$to" ]; then
		sed 's/TASKSTAT/TASKACCT/g' "$from" >"$to"
		chmod +x "$to"
	fi
	# The name is in the program and not in a library, and only once changed.
	! grep -qa TASKSTAT "$to" || die "$1: not all of it was changed"
	! cmp -s "$from" "$to" || die "$1: nothing was changed"
	[ "$(stat -c %s "$from")" = "$(stat -c %s "$to")" ] ||
		die "$1: its size was changed"
	echo "$to"
}

clean_up()
{
	rmmod taskacct || echo "# taskacct could not be unloaded"
}

set_up()
{
	mkdir "$work/bin"
	mkfifo "$work/orders"
	# From memory, so that starting it reads nothing of a disk.
	cp "$clients/load" "$work/load"
	family=TASKSTATS
	if getdelays --family TASKSTATS -p $$ >"$work/log" 2>&1; then
		family=TASKACCTS
	fi
	modprobe taskacct family="$family"
	echo "# $(uname -r), family $family"
	# Kernels before 5.14 always count delays.
	[ ! -e /proc/sys/kernel/task_delayacct ] ||
		sysctl -q kernel.task_delayacct=1
}

# End what the test started.
end_test()
{
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086 # words
	[ -z "$pids" ] || kill -KILL $pids 2>/dev/null || :
}
