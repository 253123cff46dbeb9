#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""troubles.py ARCHIVE: an archive of PCP in which each of the agent's rules has its reason.

A sample every two minutes, as often as the rules look. A service forks 100 times a second
between the third and the fifth; the OOM killer has chosen two processes by the fifth; seven
exits are lost by the seventh.
"""

import sys

import cpmapi
from pcp import pmi

STEP = 120
SERVICE = 'cron.service::sh::failed'
COUNTS = (10, 20, 30, 30 + 100 * STEP, 30 + 200 * STEP, 40 + 200 * STEP,
          50 + 200 * STEP, 60 + 200 * STEP)
SINGLES = {
    'taskacct.ended.outcome.oom': (0, 0, 0, 0, 2, 2, 2, 2),
    'taskacct.ended.lost': (0, 0, 0, 0, 0, 0, 7, 7),
    'taskacct.module.lost.queue': (0,) * 8,
    'taskacct.module.lost.memory': (0,) * 8,
}


def add(archive, name, instances):
    archive.pmiAddMetric(name, cpmapi.PM_ID_NULL, cpmapi.PM_TYPE_U64, instances,
                         cpmapi.PM_SEM_COUNTER, archive.pmiUnits(0, 0, 1, 0, 0, 0))


def main():
    archive = pmi.pmiLogImport(sys.argv[1])
    archive.pmiSetTimezone('UTC')
    instances = archive.pmiInDom(498, 1)
    add(archive, 'taskacct.ended.count', instances)
    archive.pmiAddInstance(instances, SERVICE, 1)
    for name in SINGLES:
        add(archive, name, cpmapi.PM_INDOM_NULL)
    for sample, count in enumerate(COUNTS):
        archive.pmiPutValue('taskacct.ended.count', SERVICE, str(count))
        for name, values in SINGLES.items():
            archive.pmiPutValue(name, '', str(values[sample]))
        archive.pmiWrite(1700000000 + sample * STEP, 0)
    archive.pmiEnd()


main()
