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
		message("no family %s: modprobe taskacct, or --family TASKSTATS",
			family);
	else if (!strcmp(family, TASKSTATS_GENL_NAME))
		message("no family %s in this kernel: modprobe taskacct",
			family);
	else
		message("no family %s: see taskacct's parameter family",
			family);
}

struct taskacct *handle_open(const char *family)
{
	struct taskacct *ta;
	int err;

	err = taskacct_open(&ta, family);
	if (!err) {
		message_verbose("family %s: message type %u, %s", family,
				taskacct_family_type(ta),
				taskacct_counts_losses(ta) ? "taskacct's" :
							     "taskstats");
		return ta;
	}
	tell(err, family, ta ? taskacct_error(ta) : "out of memory");
	taskacct_close(ta);
	return NULL;
}
