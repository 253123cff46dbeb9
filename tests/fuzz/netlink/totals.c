// SPDX-License-Identifier: GPL-2.0-only
/* Totals per user that were asked for */
#include <string.h>
#include <unistd.h>

#include <linux/taskacct.h>

#include "attr.h"
#include "found.h"
#include "judge.h"

#define VALUES (sizeof(struct taskacct_uid_usage) / sizeof(uint64_t))
#define NUMBERS (VALUES + 2 * TASKACCT_WAITS)

/**
 * struct total - a user
 * @record: who it is
 * @usage: what was used in the foreground, where all are
 * @waits: and waited for
 */
struct total {
	struct taskacct_uid_record record;
	struct taskacct_uid_usage usage;
	struct taskacct_uid_wait waits[TASKACCT_WAITS];
};

/* All kinds, each in its place */
static bool take_waits(struct total *total, const struct nlattr *attr,
		       size_t left)
{
	unsigned int i;

	for (i = 0; i < TASKACCT_WAITS; i++) {
		if (i && (!attr_fits(attr, left) || attr_size(attr) ||
			  attr_type(attr) != TASKACCT_WAITS_ATTR_PAD))
			return false;
		if (i)
			attr = attr_next(attr, &left);
		if (!attr_fits(attr, left) ||
		    attr_type(attr) != TASKACCT_WAITS_ATTR_CPU + i ||
		    attr_size(attr) != sizeof(*total->waits))
			return false;
		memcpy(&total->waits[i], attr_data(attr),
		       sizeof(*total->waits));
		attr = attr_next(attr, &left);
	}
	return !left;
}

/* The background is left out: nobody has ever been there. */
static bool take_total(struct total *total, const struct nlmsghdr *nlh)
{
	const unsigned int record = TASKACCT_UID_ATTR_RECORD - 16;
	const unsigned int usage = TASKACCT_UID_ATTR_FOREGROUND - 16;
	const unsigned int waits = TASKACCT_UID_ATTR_FOREGROUND_WAITS - 16;
	struct found found;

	if (!found_take(&found, nlh) ||
	    found.seen != (found_all_of(TASKACCT_UID_ATTR_UID,
					TASKACCT_UID_ATTR_FOREGROUND) |
			   1U << waits) ||
	    !take_waits(total, found.data[waits], found.size[waits]) ||
	    found.size[record] != sizeof(total->record) ||
	    found.size[usage] != sizeof(total->usage))
		return false;
	memcpy(&total->record, found.data[record], sizeof(total->record));
	memcpy(&total->usage, found.data[usage], sizeof(total->usage));
	return total->record.uid ==
	       found_number(&found, TASKACCT_UID_ATTR_UID);
}

/* No total ever goes back: root's and one's own are kept in mind. */
static void judge_forward(struct judge *j, const struct total *total)
{
	static uint64_t last[2][NUMBERS];
	uint64_t *before = last[!!total->record.uid], now[NUMBERS];
	unsigned int i;

	memcpy(now, &total->usage, sizeof(total->usage));
	memcpy(now + VALUES, total->waits, sizeof(total->waits));
	for (i = 0; i < NUMBERS; i++)
		if (now[i] < before[i])
			judge_wrong(j, "number %u of user %u was %llu and is %llu",
				    i, total->record.uid,
				    (unsigned long long)before[i],
				    (unsigned long long)now[i]);
	memcpy(before, now, sizeof(now));
}

static void judge_total(struct judge *j, const struct total *total)
{
	const struct taskacct_uid_record *r = &total->record;

	if (r->version != TASKACCT_UID_RECORD_VERSION ||
	    r->size != sizeof(*r) || r->reserved ||
	    (r->flags & ~TASKACCT_UID_NO_FSYNC) ||
	    r->state != TASKACCT_UID_FOREGROUND || r->first > r->last)
		judge_wrong(j, "user %u: not as it has to be", r->uid);
	else if (j->sock->users != REACH_ALL && r->uid != getuid())
		judge_wrong(j, "user %u is not for others", r->uid);
	/* This process, and its thread */
	else if (r->uid == getuid() && r->tasks < 2)
		judge_wrong(j, "user %u has %llu tasks", r->uid,
			    (unsigned long long)r->tasks);
	else if (!r->uid || r->uid == getuid())
		judge_forward(j, total);
}

void judge_answer_user(struct judge *j, struct expected *e,
		       const struct nlmsghdr *nlh)
{
	struct total total;

	if (!take_total(&total, nlh))
		judge_wrong(j, "a user that is none");
	else if (total.record.uid != e->id)
		judge_wrong(j, "user %u for %u", total.record.uid, e->id);
	else
		judge_total(j, &total);
}

void judge_dumped_user(struct judge *j, struct expected *e,
		       const struct nlmsghdr *nlh)
{
	struct total total;

	if (!take_total(&total, nlh)) {
		judge_wrong(j, "a user in a dump that is none");
		return;
	}
	if (total.record.uid < e->last)
		judge_wrong(j, "user %u out of order", total.record.uid);
	e->last = (uint64_t)total.record.uid + 1;
	e->seen |= total.record.uid == getuid();
	judge_total(j, &total);
}

void judge_dump_of_users(struct judge *j, const struct expected *e)
{
	if (!e->seen)
		judge_wrong(j, "a dump without user %u", getuid());
}
