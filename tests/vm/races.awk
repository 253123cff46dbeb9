# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel has data races of its own, many of them known. Leave out of its log
# those reports of KCSAN that have none of our modules in a stack. Variables:
# ours, the modules' names with | between them; count, a file to write the number
# of reports left out to.

function is_frame()
{
	return $0 ~ /^(\[[^]]*\] ?)*=+\r?$/
}

function flush_report()
{
	printf "%s", report
	report = ""
}

report != "" {
	report = report $0 "\n"
	if ($0 ~ /BUG: KCSAN: /)
		race = 1
	if ($0 ~ "\\[(" ours ")\\]")
		mine = 1
	if (is_frame() && race && !mine) {
		others++
		report = ""
	} else if (is_frame()) {
		flush_report()
	}
	next
}

is_frame() {
	report = $0 "\n"
	race = mine = 0
	next
}

{ print }

END {
	flush_report()
	print others + 0 >count
}
