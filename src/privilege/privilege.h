/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which privilege takes which capability: what other directories may use
 */
#ifndef TASKACCT_PRIVILEGE_H
#define TASKACCT_PRIVILEGE_H

#include <linux/types.h>

struct cred;
struct file;
struct sk_buff;
struct user_namespace;

/* privilege.c: the table, and the one function that decides by it */

/**
 * enum taskacct_privilege - what an asker wants
 * @TASKACCT_PRIVILEGE_TASKS: what taskstats reports: records of tasks and processes that
 *	are not the asker's own, their exits, totals of cgroups, listeners; and exact time
 *	per CPU
 * @TASKACCT_PRIVILEGE_NAMES: their executables and command lines as well
 * @TASKACCT_PRIVILEGE_USERS: totals of all users
 * @TASKACCT_PRIVILEGE_TRACE: all that who may trace the tasks of a user namespace sees
 * @TASKACCT_PRIVILEGE_DEVICES: to map counters and exits
 * @TASKACCT_PRIVILEGE_SIZES: to change how much memory exits are kept in
 */
enum taskacct_privilege {
	TASKACCT_PRIVILEGE_TASKS,
	TASKACCT_PRIVILEGE_NAMES,
	TASKACCT_PRIVILEGE_USERS,
	TASKACCT_PRIVILEGE_TRACE,
	TASKACCT_PRIVILEGE_DEVICES,
	TASKACCT_PRIVILEGE_SIZES,
};

bool taskacct_privilege_of_request(const struct sk_buff *request,
				   enum taskacct_privilege what,
				   const struct user_namespace *ns);
bool taskacct_privilege_of_file(const struct file *file, enum taskacct_privilege what);
bool taskacct_privilege_of_cred(const struct cred *cred, enum taskacct_privilege what,
				const struct user_namespace *ns);
bool taskacct_privilege_of_current(enum taskacct_privilege what);
int taskacct_privilege_check_open(const struct file *file, int group);

#endif /* TASKACCT_PRIVILEGE_H */
