/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Datagrams that wait to be filled with messages
 */
#ifndef TASKACCT_BATCH_H
#define TASKACCT_BATCH_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

struct sk_buff;
struct taskacct_parcel;
struct taskacct_subscription;

/**
 * struct taskacct_batch - a datagram that waits to be filled
 * @skb: the datagram, or NULL
 * @messages: how many are in it
 * @room: bytes that it may still take; there may be memory for more
 * @cpus: where they come from
 * @vital: there is one among them with what is known of a process
 * @end: gives it to the listener when it has waited long enough
 */
struct taskacct_batch {
	struct sk_buff *skb;
	unsigned int messages;
	unsigned int room;
	cpumask_var_t cpus;
	bool vital;
	struct hrtimer end;
};

/**
 * taskacct_batch_is_full() - whether a message has no room in what waits
 * @batch: the batch
 * @length: of the message, in bytes
 *
 * Context: any; the batch is locked.
 * Return: true if there is a datagram, and it must be sent before.
 */
static inline bool taskacct_batch_is_full(const struct taskacct_batch *batch,
					  unsigned int length)
{
	return batch->skb && batch->room < length;
}

bool taskacct_batch_begin(struct taskacct_batch *batch,
			  const struct taskacct_subscription *sub,
			  unsigned int length);
void *taskacct_batch_add(struct taskacct_batch *batch,
			 const struct taskacct_parcel *parcel);
struct sk_buff *taskacct_batch_take(struct taskacct_batch *batch);
void taskacct_batch_end(struct taskacct_batch *batch);

#endif /* TASKACCT_BATCH_H */
