# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of installing share. Each sources this, has functions
# test_NAME that run one after the other and build on each other, and prepare(),
# and ends with run_tests NAME...

. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

# shellcheck disable=SC2034 # for the tests
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
work=

clean_up()
{
	[ -z "$work" ] || rm -rf "$work"
}

run_test()
(
	set -eE
	trap 'echo "line $LINENO: $BASH_COMMAND"' ERR
	"test_$1"
)

run_tests()
{
	local name number=0 status failed=0

	echo "TAP version 13"
	echo "1..$#"
	trap clean_up EXIT
	work=$(mktemp -d)
	prepare
	for name in "$@"; do
		number=$((number + 1))
		: >"$work/log"
		# Not behind || or in an if: that would turn -e off inside.
		set +e
		run_test "$name" >"$work/result" 2>&1
		status=$?
		set -e
		if [ "$status" = 0 ]; then
			echo "ok $number $name"
			continue
		fi
		sed 's/^/# /' "$work/log" "$work/result"
		echo "not ok $number $name"
		failed=1
	done
	exit "$failed"
}
