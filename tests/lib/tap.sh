# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For tests that are scripts: a script sources this, has functions test_NAME, and
# ends with
#
#	run_tests NAME...
#
# A test fails where a command in it does; what it printed is shown then. They
# run in subshells, one after the other. The script, or a library of it, may
# have
#
#	set_up		runs first, with an empty directory $work
#	clean_up	runs last, before that directory is removed
#	end_test	runs at the end of each test, in its subshell

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

work=

set_up()
{
	:
}

clean_up()
{
	:
}

end_test()
{
	:
}

# Say why the test at hand has nothing to run here, and end it.
skip()
{
	printf 'SKIP %s\n' "$*"
	exit 4
}

end()
{
	clean_up
	rm -rf "$work"
}

run_test()
(
	set -eE
	trap end_test EXIT
	trap 'echo "line $LINENO: $BASH_COMMAND"' ERR
	"test_$1"
)

run_tests()
{
	local name status number=0 failed=0

	echo "TAP version 13"
	echo "1..$#"
	work=$(mktemp -d)
	trap end EXIT
	set_up
	for name in "$@"; do
		number=$((number + 1))
		# Not behind || or in an if: that would turn -e off inside.
		set +e
		run_test "$name" >"$work/log" 2>&1
		status=$?
		set -e
		case $status in
		0) echo "ok $number $name" ;;
		4) echo "ok $number $name # SKIP $(sed -n 's/^SKIP //p' "$work/log")" ;;
		*)
			sed 's/^/# /' "$work/log"
			echo "not ok $number $name"
			failed=1
			;;
		esac
	done
	exit "$failed"
}
