// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exit messages for listeners that asked for nothing
 *
 * One message is filled for all of them, and each gets a clone.
 */

#include <linux/gfp.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/skbuff.h>

#include "classic.h"
#include "fill.h"
#include "fill_stats.h"
#include "heard.h"
#include "listeners.h"
#include "message.h"
#include "tgid.h"

/* The one that hears it at place @i and asked for nothing, or NULL */
static struct taskacct_listener *classic_at(const struct taskacct_heard *heard,
					    unsigned int i)
{
	const struct taskacct_hearer *by = &heard->by[i];

	return by->extended ? NULL : rcu_dereference(by->listener);
}

/**
 * taskacct_classic_lose() - count a classic message that could not be made
 * @heard: from taskacct_heard_here(), within the same rcu_read_lock()
 * @why: why not
 *
 * Context: the exit hook; does not sleep.
 */
void taskacct_classic_lose(const struct taskacct_heard *heard,
			   enum taskacct_loss why)
{
	struct taskacct_listener *listener;
	unsigned int i;

	for (i = 0; i < heard->n; i++) {
		listener = classic_at(heard, i);
		if (!listener)
			continue;
		taskacct_listener_lose(listener, why);
	}
}

static void fill_process(struct taskstats *stats,
			 const struct taskacct_values *values)
{
	struct task_struct *leader = current->group_leader;
	struct taskacct_total total;

	taskacct_tgid_total_of_current(&total);
	if (!total.ended) {
		/* Others have left nothing but what the kernel keeps of them. */
		total.values.mm = values->mm;
		total.values.until = values->until;
	}
	taskacct_fill_last(stats, leader, &total.values,
			   &taskacct_fill_init_view);
}

/*
 * A message that a listener has no room for is lost to it and counted; no other
 * listener notices. Consumes it.
 */
static void give(const struct taskacct_heard *heard, struct sk_buff *skb,
		 bool vital)
{
	struct taskacct_listener *listener;
	struct sk_buff *copy;
	unsigned int i;

	for (i = 0; i < heard->n; i++) {
		listener = classic_at(heard, i);
		if (!listener)
			continue;
		copy = skb;
		if (i == heard->n - 1)
			skb = NULL;
		else if (skb)
			copy = skb_clone(skb, GFP_ATOMIC | __GFP_NOWARN);
		taskacct_listener_deliver_shared(listener, copy, vital);
	}
	/* Left where the last place in the array is empty */
	consume_skb(skb);
}

/**
 * taskacct_classic_send() - tell of an exit to all who asked for nothing
 * @heard: from taskacct_heard_here(), within the same rcu_read_lock()
 * @values: of current
 * @seq: number of the exit
 * @last: current is the last thread of its process
 * @several: the process has had several threads
 *
 * Context: the exit hook, for current; does not sleep.
 */
void taskacct_classic_send(const struct taskacct_heard *heard,
			   const struct taskacct_values *values, u32 seq,
			   bool last, bool several)
{
	const struct taskacct_shape shape = {
		.seq = seq,
		.kinds = TASKACCT_KIND_TASK |
			 (last && several ? TASKACCT_KIND_PROCESS : 0),
		.pid = task_pid_nr(current),
		.tgid = task_tgid_nr(current),
	};
	struct taskacct_message message = {};

	if (!taskacct_message_new(&message, &shape, TASKACCT_GFP_QUEUED)) {
		taskacct_classic_lose(heard, TASKACCT_LOSS_MEMORY);
		return;
	}
	taskacct_fill_task(message.task, values, &taskacct_fill_init_view,
			   last);
	if (message.process)
		fill_process(message.process, values);
	give(heard, message.skb, last || !several);
}
