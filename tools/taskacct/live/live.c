// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module
 */
#include <errno.h>
#include <linux/taskacct.h>
#include <stdlib.h>
#include <string.h>

#include "live.h"

/* A burst of 10,000 exits with their names, each of which is charged so much */
#define BUFFER (10000 * 2304)

static const char *cure(int err, const char *story)
{
	switch (err) {
	case -EPERM:
		return strstr(story, "unprivileged") ?
			       " (as root, or see the module's parameter unprivileged)" :
			       " (as root)";
	case -ENODEV:
		return ": the module was unloaded";
	default:
		return "";
	}
}

void live_say(int err, const char *story)
{
	message("%s%s", story, cure(err, story));
}

void live_die(struct taskacct *ta, int err)
{
	const char *story = ta ? taskacct_error(ta) : "out of memory";

	die(STATUS_REFUSED, "%s%s", story, cure(err, story));
}

struct taskacct *live_open(const char *family)
{
	struct taskacct *ta;
	int err;

	err = taskacct_open(&ta, family);
	if (err == -ENOENT)
		die(STATUS_REFUSED, "no family %s: modprobe taskacct", family);
	if (err)
		live_die(ta, err);
	if (!taskacct_has_records(ta))
		die(STATUS_REFUSED,
		    "the family %s has no extended records: this command needs taskacct's own, see getdelays for others",
		    family);
	return ta;
}

struct taskacct_filter live_kinds(enum rec_kinds kinds)
{
	return (struct taskacct_filter){ .has = UINT32_C(1)
						<< TASKACCT_FILTER_ATTR_KINDS,
					 .kinds = kinds == REC_TASKS ?
							  TASKACCT_KIND_TASK :
							  TASKACCT_KIND_PROCESS,
					 .cgroup_fd = -1 };
}

void live_subscribe(struct taskacct *ta, int rcvbuf,
		    const struct taskacct_filter *filter, uint32_t want)
{
	char *cpus = taskacct_possible_cpus();
	int err, got;

	if (!cpus)
		die(STATUS_REFUSED, "list of CPUs: %s", strerror(errno));
	err = taskacct_set_buffer(ta, rcvbuf ? rcvbuf : BUFFER, &got);
	if (!err)
		err = taskacct_subscribe(ta, cpus,
					 want | TASKACCT_WANT_STREAM, filter,
					 NULL);
	if (err)
		live_die(ta, err);
	free(cpus);
}

void live_receive(struct taskacct *ta)
{
	int got;

	/* That the buffer was full, a gap message tells of. */
	do {
		got = taskacct_receive(ta);
	} while (got > 0 || got == -ENOBUFS);
	if (got < 0)
		live_die(ta, got);
}
