#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""exits.py [COUNT [FAMILY]]: print a line for each process that ends, and what was lost."""

import sys

import taskacct


def lines(sock):
    """A line for each record and for each loss"""
    sock.listen(kinds=taskacct.PROCESS)
    for message in sock.messages():
        if message.gap:
            yield f'lost {message.gap.queue + message.gap.memory}'
        for record in message.records:
            if record['kind'] == taskacct.PROCESS:
                yield ' '.join(map(str, (
                    record['pid'], record['uid'], record['exit_code'],
                    record.get('utime', 0) + record.get('stime', 0), record.comm)))


def main():
    left = int(sys.argv[1]) if len(sys.argv) > 1 else -1
    try:
        with taskacct.Socket(*sys.argv[2:3]) as sock:
            for line in lines(sock):
                print(line, flush=True)
                left -= not line.startswith('lost')
                if not left:
                    break
    except taskacct.Error as error:
        print(f'exits.py: {error.strerror}', file=sys.stderr)
        sys.exit(2)


main()
