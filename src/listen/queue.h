/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delivery of messages to a listener
 */
#ifndef TASKACCT_LISTEN_QUEUE_H
#define TASKACCT_LISTEN_QUEUE_H

struct taskacct_listener;
struct taskacct_listener_info;

void taskacct_queue_begin(struct taskacct_listener *listener);
void taskacct_queue_flush(struct taskacct_listener *listener);
void taskacct_queue_hurry(struct taskacct_listener *listener, bool hasty);
void taskacct_queue_statistics(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info);
void taskacct_queue_end(struct taskacct_listener *listener);
void taskacct_queue_stop(struct taskacct_listener *listener);

#endif /* TASKACCT_LISTEN_QUEUE_H */
