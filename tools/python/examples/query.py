#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""query.py PID [FAMILY]: print what a process has used and waited for so far."""

import sys

import taskacct


def main():
    if len(sys.argv) < 2:
        sys.exit('usage: query.py PID [FAMILY]')
    try:
        with taskacct.Socket(*sys.argv[2:3]) as sock:
            record = sock.query(int(sys.argv[1]))
    except taskacct.Error as error:
        print(f'query.py: {error.strerror}', file=sys.stderr)
        sys.exit(2)
    for name in record.keys():
        print(name, record[name])


main()
