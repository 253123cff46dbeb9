/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers for all tasks, or for all processes
 */
#ifndef TASKACCT_DUMP_H
#define TASKACCT_DUMP_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "access/reach.h"
#include "record/filter.h"
#include "task/fill.h"

#include "query.h"

struct netlink_callback;
struct sk_buff;

/**
 * struct taskacct_dump - a dump that is under way
 * @want: TASKACCT_WANT_*
 * @filter: which tasks or processes; its kinds: which of the two, 0: tasks
 * @met: how many have met all its conditions but "one in so many"
 * @reach: which the asker may see, and in whose numbers; held
 * @next: the smallest id that is still to come
 * @told: kinds that are already told of it
 * @meant: kinds of it that have passed the filter
 * @now: when those that come next were found
 * @answer: what is being told
 * @length: of the last message; 0: there was none yet
 */
struct taskacct_dump {
	u32 want;
	struct taskacct_filter filter;
	atomic_t met;
	struct taskacct_reach reach;
	int next;
	u32 told;
	u32 meant;
	struct taskacct_moment now;
	struct taskacct_answer answer;
	unsigned int length;
};

struct taskacct_dump *taskacct_dump_new(const struct taskacct_reach *reach);
void taskacct_dump_free(struct taskacct_dump *dump);
int taskacct_dump_some(struct taskacct_dump *dump, struct sk_buff *skb,
		       struct netlink_callback *cb);

#endif /* TASKACCT_DUMP_H */
