/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The family: handlers, replies, errors
 */
#ifndef TASKACCT_NETLINK_H
#define TASKACCT_NETLINK_H

#include <linux/taskstats.h>
#include <linux/types.h>

struct sk_buff;

/**
 * struct taskacct_message - an exit message in the making
 * @skb: the message
 * @task: where the record of the task goes, zeroed
 * @process: where that of its process goes, zeroed; NULL without one
 */
struct taskacct_message {
	struct sk_buff *skb;
	struct taskstats *task;
	struct taskstats *process;
};

int taskacct_netlink_init(const char *name);
void taskacct_netlink_exit(void);
u32 taskacct_netlink_next_seq(void);
bool taskacct_netlink_message(struct taskacct_message *message, u32 seq,
			      u32 pid, u32 tgid);

#endif /* TASKACCT_NETLINK_H */
