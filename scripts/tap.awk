# SPDX-License-Identifier: GPL-2.0-only
#
# Sum up the TAP output of several programs, framed by scripts/check-guest:
#
#	=== begin NAME
#	TAP of the program
#	=== end NAME STATUS SECONDS
#	=== all
#
# Prints a line for each program, before it what failed with the lines that led
# to it, and what was skipped. Variables: label, what to call the run; logs, a
# directory with files to add to: totals, a line "PASSED FAILED SKIPPED", and
# results, a line "LABEL NAME PASSED FAILED SKIPPED SECONDS" for each program.

function fail(why)
{
	print "    " why
	bad++
}

# A plan may have "# SKIP" where the program has nothing to run here.
function plan(line)
{
	planned = substr(line, 4) + 0
	if (line ~ /# *SKIP/) {
		sub(/.*# *SKIP */, "", line)
		skipped++
		print "    skipped " name ": " line
	}
}

function result(line,    words)
{
	seen++
	if (line ~ /^not ok/ && line !~ /# *TODO/) {
		failed++
		printf "%s", context
		print "    " line
	} else if (line ~ /# *SKIP/) {
		skipped++
		sub(/^ok [0-9]+ */, "", line)
		print "    skipped " name ": " line
	} else {
		passed++
	}
	context = ""
}

# Faults of the program as a whole, each counted as one failure.
function judge(status)
{
	if (planned < 0)
		fail("no TAP plan: the program did not come to run a test")
	else if (seen != planned)
		fail("planned " planned " tests, saw " seen)
	else if (seen == 0 && skipped == 0)
		fail("ran no test")
	if (status != 0 && !failed && !bad && !(status == 4 && skipped))
		fail("ended with status " status)
	if (bad)
		printf "%s", context
}

function begin(program)
{
	name = program
	planned = -1
	seen = passed = failed = skipped = bad = 0
	context = ""
}

function end(status, seconds)
{
	judge(status)
	printf "%s %s: %s: %d passed, %d failed, %d skipped", \
		failed + bad ? "FAIL" : "PASS", label, name, passed, \
		failed + bad, skipped
	print seconds == "" ? "" : " (" seconds " s)"
	fflush()
	print label, name, passed, failed + bad, skipped, seconds >>(logs "/results")
	all_passed += passed
	all_failed += failed + bad
	all_skipped += skipped
	name = ""
}

/^=== begin / { begin($3); next }
/^=== end / { end($4, $5); next }
/^=== all$/ { complete = 1; next }
name == "" { next }
/^1\.\.[0-9]+/ { plan($0); next }
/^(not )?ok( |$)/ { result($0); next }
/^TAP version|^# Starting|^# +RUN |^$/ { next }
/^# +OK / { context = ""; next }
{ context = context "    " $0 "\n" }

END {
	if (name != "") {
		fail("did not finish")
		end(0, "")
	}
	if (!complete) {
		print "FAIL " label ": the run broke off"
		print label, "run", 0, 1, 0 >>(logs "/results")
		all_failed++
	}
	print all_passed + 0, all_failed + 0, all_skipped + 0 >>(logs "/totals")
}
