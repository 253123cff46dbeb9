/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of an exit: one for each who hears it
 */
#ifndef TASKACCT_FANOUT_H
#define TASKACCT_FANOUT_H

#include <linux/types.h>

#include "listeners.h"

struct sk_buff;
struct taskacct_heard;
struct taskacct_listener;
struct taskacct_values;

/* For so many listeners no memory has to be found. */
#define TASKACCT_FANOUT_FEW	8

/**
 * struct taskacct_parcel - a message for one listener
 * @listener: the listener; NULL: it is not sent after all
 * @skb: the message; NULL: it is lost
 * @why: then, why
 * @ahead: messages that are delivered before this one, and this one
 */
struct taskacct_parcel {
	struct taskacct_listener *listener;
	struct sk_buff *skb;
	enum taskacct_loss why;
	unsigned int ahead;
};

/**
 * struct taskacct_fanout - the messages of an exit
 * @heard: who heard the CPU when they were made; NULL: nobody
 * @several: the process has had several threads
 * @cpu: where the task exits, from taskacct_fanout_commit()
 * @n: how many messages there are
 * @parcels: the messages; NULL: there was no memory for a list of them
 * @few: place for them
 */
struct taskacct_fanout {
	const struct taskacct_heard *heard;
	bool several;
	unsigned int cpu;
	unsigned int n;
	struct taskacct_parcel *parcels;
	struct taskacct_parcel few[TASKACCT_FANOUT_FEW];
};

void taskacct_fanout_make(struct taskacct_fanout *out,
			  const struct taskacct_values *values, bool last,
			  bool several);
void taskacct_fanout_remake(struct taskacct_fanout *out,
			    const struct taskacct_values *values, bool last);
bool taskacct_fanout_commit(struct taskacct_fanout *out, bool anyway);
void taskacct_fanout_send(struct taskacct_fanout *out);
void taskacct_fanout_drop(struct taskacct_fanout *out);

#endif /* TASKACCT_FANOUT_H */
