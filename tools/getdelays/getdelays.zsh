#compdef getdelays
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion for zsh: options, and what belongs behind those that take a value

_arguments -s -S : \
	'*'{-p,--pid=}'[a task]:pid:_pids' \
	'*'{-t,--tgid=}'[a process]:pid:_pids' \
	{-C,--cgroup=}'[what the tasks of a cgroup are doing]:directory:_files -/' \
	{-l,--listen}'[tell of every task that exits]' \
	{-m,--cpumask=}'[only exits on these CPUs]:CPUs:(all)' \
	'--per-cpu[a listener on each CPU]' \
	'--ring[shared memory or nothing]' \
	'--netlink[no shared memory]' \
	'--filter=[only those that meet it]:filter: ' \
	'--one-in=[one in so many]:number: ' \
	'--processes[only records of processes]' \
	'--threads[only records of threads]' \
	'--extended[all there is to know]' \
	{-d,--delays}'[what was waited for]' \
	{-i,--io}'[input and output]' \
	{-q,--switches}'[context switches]' \
	{-w,--write=}'[log what is received]:file:_files' \
	{-R,--read=}'[read a log]:file:_files' \
	'--json[JSON]' \
	'--csv[CSV]' \
	'--family=[generic netlink family]:family:(TASKACCT TASKSTATS)' \
	{-r,--rcvbuf=}'[receive buffer]:bytes: ' \
	'--batch=[messages may wait for others]:bytes and time: ' \
	{-v,--verbose}'[say more]' \
	'(- *)'{-h,--help}'[help]' \
	'(- *)'{-V,--version}'[version]' \
	{-c,--command}'[run a command]:*::command:_normal'
