/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Datagrams that wait to be filled with messages
 */
#ifndef TASKACCT_LISTEN_BATCH_H
#define TASKACCT_LISTEN_BATCH_H

#include <linux/types.h>

#include "listen.h"

struct sk_buff;

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

#endif /* TASKACCT_LISTEN_BATCH_H */
