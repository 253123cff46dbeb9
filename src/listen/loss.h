/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is lost to a listener, and how it is told
 */
#ifndef TASKACCT_LOSS_H
#define TASKACCT_LOSS_H

#include <linux/types.h>

#include "listen.h"

struct cpumask;

/**
 * taskacct_loss_has_gap() - whether a stream's reader is yet to be told of a loss
 * @listener: the listener
 *
 * Context: any; the listener is locked.
 */
static inline bool
taskacct_loss_has_gap(const struct taskacct_listener *listener)
{
	return listener->gap_since;
}

void taskacct_loss_count(struct taskacct_listener *listener,
			 enum taskacct_loss why, unsigned int n,
			 const struct cpumask *from);
void taskacct_loss_drop(struct taskacct_listener *listener,
			enum taskacct_loss why, unsigned int n,
			const struct cpumask *from);
void taskacct_loss_take_missed(struct taskacct_listener *listener);
void taskacct_loss_send_gap(struct taskacct_listener *listener);
void taskacct_loss_retry(struct taskacct_listener *listener);
void taskacct_loss_tell_stream(const struct taskacct_listener_info *info,
			       struct taskacct_stream *stream);

#endif /* TASKACCT_LOSS_H */
