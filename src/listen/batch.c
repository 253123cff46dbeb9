// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams that wait to be filled with messages
 *
 * Each has a lock of whoever has it, which its timer takes too.
 */

#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>

#include "record/record.h"

#include "batch.h"
#include "listen.h"

/**
 * taskacct_batch_begin() - have a datagram with room for a message
 * @batch: the batch; nothing waits in it
 * @sub: how large it may become, and how long it may wait
 * @length: of the message, in bytes
 *
 * Context: the exit hook; the batch is locked; does not sleep.
 * Return: false if there is no memory.
 */
bool taskacct_batch_begin(struct taskacct_batch *batch,
			  const struct taskacct_subscription *sub,
			  unsigned int length)
{
	batch->room = max(sub->batch_bytes, length);
	batch->skb = alloc_skb(batch->room, TASKACCT_GFP_QUEUED);
	if (!batch->skb)
		return false;
	hrtimer_start(&batch->end, ns_to_ktime(sub->batch_wait),
		      HRTIMER_MODE_REL_SOFT);
	return true;
}

/**
 * taskacct_batch_add() - let a message wait
 * @batch: the batch, with room for it
 * @parcel: the message; copied
 *
 * Context: the exit hook; the batch is locked.
 * Return: where the message is now.
 */
void *taskacct_batch_add(struct taskacct_batch *batch,
			 const struct taskacct_parcel *parcel)
{
	const struct sk_buff *message = parcel->skb;

	batch->room -= message->len;
	batch->messages++;
	batch->vital |= parcel->vital;
	cpumask_set_cpu(parcel->cpu, batch->cpus);
	return skb_put_data(batch->skb, message->data, message->len);
}

/**
 * taskacct_batch_take() - take the datagram out, to be sent
 * @batch: the batch, for taskacct_batch_end() when that is done
 *
 * Context: any but hard interrupts; the batch is locked.
 * Return: the datagram; NULL if nothing waits.
 */
struct sk_buff *taskacct_batch_take(struct taskacct_batch *batch)
{
	struct sk_buff *skb = batch->skb;

	batch->skb = NULL;
	return skb;
}

/**
 * taskacct_batch_end() - begin to count anew
 * @batch: the batch, of which the datagram was sent
 *
 * Context: any but hard interrupts; the batch is locked.
 */
void taskacct_batch_end(struct taskacct_batch *batch)
{
	batch->messages = 0;
	batch->vital = false;
	cpumask_clear(batch->cpus);
}
