#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""shipped.py FILE: what arrived of the lines of taskacct exits --keyed

Lines may have come twice, and in any order. Of each lane, what arrived and what is said to be
lost has to be what was made. Prints "made M, arrived A, lost L, missing X, twice T".
"""

import collections
import json
import sys


class Lane:
    def __init__(self):
        self.begin = self.end = None
        self.numbers = set()
        self.lost = set()

    def add(self, line):
        """Return whether it had come before."""
        if 'begin' in line:
            self.begin = line['begin']
        elif 'end' in line:
            self.end = line['end']
        elif 'lost' in line:
            numbers = range(line['from'], line['to'] + 1)
            assert len(numbers) == line['lost'], line
            self.lost.update(numbers)
        elif line['number'] in self.numbers:
            return True
        else:
            self.numbers.add(line['number'])
        return False


def main():
    lanes = collections.defaultdict(Lane)
    twice = 0
    with open(sys.argv[1], encoding='utf-8') as file:
        for text in file:
            line = json.loads(text)
            key = line['host'], line['boot'], line['ring_cpu'], line['lane']
            twice += lanes[key].add(line)
    made = arrived = lost = missing = 0
    for key, lane in lanes.items():
        numbers = set(range(lane.begin, lane.end + 1))
        assert lane.numbers <= numbers and lane.lost <= numbers, key
        assert not lane.numbers & lane.lost, key
        made += len(numbers)
        arrived += len(lane.numbers)
        lost += len(lane.lost)
        missing += len(numbers - lane.numbers - lane.lost)
    print(f'made {made}, arrived {arrived}, lost {lost}, missing {missing}, twice {twice}')


main()
