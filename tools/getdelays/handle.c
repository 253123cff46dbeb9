// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opening a handle, with the cure where that fails
 */
#include <errno.h>
#include <string.h>

#include <linux/taskacct.h>

#include "handle.h"
#include "message.h"

static void tell(int err, const char *family, const char *story)
{
	if (err != -ENOENT)
		message_failed(err, story);
	else if (!strcmp(family, TASKACCT_GENL_NAME))
		message("the module is not loaded: modprobe taskacct, or --family TASKSTATS for the kernel's own");
	else if (!strcmp(family, TASKSTATS_GENL_NAME))
		message("this kernel has no taskstats (CONFIG_TASKSTATS): modprobe taskacct, and no --family");
	else
		message("no generic netlink family %s: see the module's parameter family",
			family);
}

struct taskacct *handle_open(const char *family)
{
	struct taskacct *ta;
	int err;

	err = taskacct_open(&ta, family);
	if (!err) {
		message_verbose("family %s: %s", family,
				taskacct_counts_losses(ta) ?
					"taskacct's" : "the kernel's own");
		return ta;
	}
	tell(err, family, ta ? taskacct_error(ta) : "out of memory");
	taskacct_close(ta);
	return NULL;
}
