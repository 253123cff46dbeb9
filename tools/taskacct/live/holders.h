/* SPDX-License-Identifier: GPL-2.0-only */
/* Who keeps the module from being unloaded: processes that have a device of it */
#ifndef TASKACCT_CMD_HOLDERS_H
#define TASKACCT_CMD_HOLDERS_H

#include <sys/types.h>

/**
 * holders_each() - find the processes that have a device of the module open or mapped
 * @each: called for each process and device; its texts are valid until it returns
 * @arg: for @each
 *
 * Of others' processes, as far as /proc shows their files: root sees all.
 */
void holders_each(void (*each)(pid_t pid, const char *comm, const char *device,
			       void *arg),
		  void *arg);

#endif /* TASKACCT_CMD_HOLDERS_H */
