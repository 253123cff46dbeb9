#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""readlog.py FILE: print a line for each record of a log, and what was lost."""

import sys

import taskacct


def main():
    if len(sys.argv) != 2:
        sys.exit('usage: readlog.py FILE')
    try:
        with taskacct.Log(sys.argv[1]) as log:
            for message in log:
                if message.gap:
                    print('lost', message.gap.queue + message.gap.memory)
                for record in message.records:
                    print(record['pid'], record['uid'], record.get('exit_code', 0),
                          record.get('utime', 0) + record.get('stime', 0), record.comm)
    except taskacct.Error as error:
        print(f'readlog.py: {error.strerror}', file=sys.stderr)
        sys.exit(2)


main()
