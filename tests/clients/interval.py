#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""interval.py ARCHIVE: an archive of PCP for pcp taskacct, five samples a minute apart.

Of three commands, one runs all the time, one comes with the third sample, and of one it is not
known what it waited for. Before the fourth sample the agent has begun anew, from 0; with the
fifth it has lost five processes. There is no value in a sixth, later on.
"""

import sys

import cpmapi
from pcp import pmi

VALUES = ('count', 'runtime', 'wait.cpu', 'wait.blkio', 'read_bytes', 'write_bytes')
# Of each instance: its count in each sample. All other values are a thousand times that.
COUNTS = {
    'cron.service::sh::ok': (100, 110, 130, 5, 8),
    'cron.service::new::failed': (None, None, 4, 1, 1),
    'web.service::sh::ok': (7, 7, 8, 0, 1),
}
WITHOUT_WAITS = 'web.service::sh::ok'
LOST = (3, 3, 3, 0, 5)


def add(archive, name, instances):
    archive.pmiAddMetric(name, cpmapi.PM_ID_NULL, cpmapi.PM_TYPE_U64, instances,
                         cpmapi.PM_SEM_COUNTER, archive.pmiUnits(0, 0, 1, 0, 0, 0))


def put(archive, name, value, count):
    if count is None or value.startswith('wait') and name == WITHOUT_WAITS:
        return
    archive.pmiPutValue('taskacct.ended.' + value, name,
                        str(count if value == 'count' else 1000 * count))


def main():
    archive = pmi.pmiLogImport(sys.argv[1])
    archive.pmiSetHostname('machine.example')
    archive.pmiSetTimezone('UTC')
    instances = archive.pmiInDom(498, 1)
    for value in VALUES:
        add(archive, 'taskacct.ended.' + value, instances)
    for number, name in enumerate(COUNTS):
        archive.pmiAddInstance(instances, name, number)
    for name in 'taskacct.ended.lost', 'pmcd.numagents':
        add(archive, name, cpmapi.PM_INDOM_NULL)
    for sample, lost in enumerate(LOST):
        for name, counts in COUNTS.items():
            for value in VALUES:
                put(archive, name, value, counts[sample])
        archive.pmiPutValue('taskacct.ended.lost', '', str(lost))
        archive.pmiWrite(1700000000 + sample * 60, 0)
    archive.pmiPutValue('pmcd.numagents', '', '1')
    archive.pmiWrite(1700000000 + 6 * 60, 0)
    archive.pmiEnd()


main()
