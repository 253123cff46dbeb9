/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a CPU went or came */
#ifndef TASKACCT_CMD_AUDIT_HOTPLUG_H
#define TASKACCT_CMD_AUDIT_HOTPLUG_H

#include <stdint.h>

/**
 * audit_hotplug_runs() - how often the kernel's threads for that have run
 *
 * Return: a number that is larger when a CPU has gone or come.
 */
uint64_t audit_hotplug_runs(void);

#endif /* TASKACCT_CMD_AUDIT_HOTPLUG_H */
