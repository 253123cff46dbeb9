# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel has data races of its own, many of them known. Leave out of its log
# those reports of KCSAN that have none of our modules in a stack, be it below an
# interrupt, and those of races that we lead the kernel into rightly, or that are between a
# marked read of ours and a plain write of the kernel's: no reader can do better, and where
# plain writes are not taken for atomic (CONFIG_KCSAN_STRICT) each is reported. Variables:
# ours, the modules' names with | between them; count, a file to write the number
# of reports left out to.

function is_frame()
{
	return $0 ~ /^(\[[^]]*\] ?)*=+\r?$/
}

# The functions that a report names, without what the compiler made of them, and without
# the place in the one where the other is not known
function between()
{
	sub(/.*data-race in /, "")
	sub(/\r$/, "")
	gsub(/\+0x[0-9a-f]+\/0x[0-9a-f]+/, "")
	gsub(/\.(constprop|isra|part)\.[0-9]+/, "")
	return $0
}

function flush_report()
{
	printf "%s", report
	report = ""
}

BEGIN {
	# Who polls looks again behind what a waker writes at any time.
	rightly = "poll_schedule_timeout / pollwake"
	# It looks for a flag of the task that does not change, beside some that do.
	rightly = rightly "|get_task_mm / [a-z0-9_]+|[a-z0-9_]+ / get_task_mm"
	# Who sleeps looks whether the timer has woken him, who is runnable then.
	rightly = rightly "|hrtimer_wakeup / schedule_hrtimeout_range_clock"
	# Whether CPUs stop their ticks is told beside how long one has been idle, for
	# which its flags are looked at, as for /proc/stat, which we read, too.
	rightly = rightly "|get_cpu_(idle|iowait)_time_us / tick_[a-z0-9_]+"
	rightly = rightly "|tick_[a-z0-9_]+ / get_cpu_(idle|iowait)_time_us"
	# So is when the machine was started there, for the line btime.
	rightly = rightly "|getboottime64 / timekeeping_[a-z0-9_]+"
	rightly = rightly "|timekeeping_[a-z0-9_]+ / getboottime64"
	# The clock that may be read anywhere has two copies, and reads the one again that
	# was changed meanwhile.
	rightly = rightly "|ktime_get_mono_fast_ns( / timekeeping_[a-z0-9_]+)?"
	rightly = rightly "|timekeeping_[a-z0-9_]+ / ktime_get_mono_fast_ns"
	# That a task has used a privilege is noted in its flags, plainly, and arm64 looks
	# at those of whom it switches to, that task, too, where it was preempted meanwhile.
	rightly = rightly "|__switch_to / ns_capable|ns_capable / __switch_to"
	# Who forks is copied whole, with the count of references to him, which is all that
	# we change in a task.
	rightly = rightly "|[a-z0-9_]+ \\[taskacct\\] / arch_dup_task_struct"
	rightly = rightly "|arch_dup_task_struct / [a-z0-9_]+ \\[taskacct\\]"
}

report != "" {
	report = report $0 "\n"
	if (/^(\[[^]]*\] ?)?\r?$/)
		interrupted = 0
	if (/ (asm_(common_interrupt|sysvec_[a-z0-9_]+)|el1h_64_irq)\+/)
		interrupted = 1
	# The first function below says whose access it is; others of ours, who is behind it.
	# A function without an offset is in no stack: what a worker has to do is told, too.
	if (!interrupted && /\+0x/ && $0 ~ "\\[(" ours ")\\]") {
		mine = 1
		if (access == "read (marked)" && is_first)
			reads = read_by_us = 1
		else if (access && !reads)
			done_by_us = 1
	}
	is_first = 0
	if (match($0, /(read|write|read-write)( \(marked\))? to 0x/)) {
		access = substr($0, RSTART, RLENGTH - 6)
		is_first = 1
		reads = 0
	}
	if (is_frame() && read_by_us && !done_by_us)
		known = 1
	if (is_frame() && race && !(mine && !known)) {
		others++
		report = ""
	} else if (is_frame()) {
		flush_report()
	}
	if (/BUG: KCSAN: /) {
		race = 1
		known = between() ~ "^(" rightly ")$"
	}
	next
}

is_frame() {
	report = $0 "\n"
	race = mine = known = interrupted = read_by_us = done_by_us = 0
	reads = is_first = 0
	access = ""
	next
}

{ print }

END {
	flush_report()
	print others + 0 >count
}
