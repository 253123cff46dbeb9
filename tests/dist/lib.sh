# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests of installing share. Their tests build on each other.

. "$(dirname "${BASH_SOURCE[0]}")/../lib/tap.sh"

# shellcheck disable=SC2034 # for the tests
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$top/dkms.conf")
