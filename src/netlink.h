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
 * struct taskacct_message - what an exit tells
 * @task: record of the task
 * @process: record of its process, used where @last
 * @pid: id of the task
 * @tgid: id of its process
 * @last: the last thread of a process that had several
 */
struct taskacct_message {
	struct taskstats task;
	struct taskstats process;
	u32 pid;
	u32 tgid;
	bool last;
};

int taskacct_netlink_init(const char *name);
void taskacct_netlink_exit(void);
struct sk_buff *taskacct_netlink_build(const struct taskacct_message *message);

#endif /* TASKACCT_NETLINK_H */
