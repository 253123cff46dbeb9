/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Delivery of messages to a listener
 */
#ifndef TASKACCT_LISTEN_DELIVER_H
#define TASKACCT_LISTEN_DELIVER_H

struct taskacct_listener;
struct taskacct_listener_info;

void taskacct_listener_begin(struct taskacct_listener *listener);
void taskacct_listener_flush(struct taskacct_listener *listener);
void taskacct_listener_hurry(struct taskacct_listener *listener, bool hasty);
void taskacct_listener_figures(struct taskacct_listener *listener,
			       struct taskacct_listener_info *info);
void taskacct_listener_end(struct taskacct_listener *listener);
void taskacct_listener_stop(struct taskacct_listener *listener);

#endif /* TASKACCT_LISTEN_DELIVER_H */
