/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What takes which capability
 */
#ifndef TASKACCT_ACCESS_H
#define TASKACCT_ACCESS_H

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/user_namespace.h>

/**
 * enum taskacct_access - what an asker wants to be told
 * @TASKACCT_ACCESS_TASKS: what taskstats tells: records of tasks and processes that
 *	are not the asker's own, their exits, totals of cgroups, listeners
 * @TASKACCT_ACCESS_NAMES: their executables and command lines as well
 * @TASKACCT_ACCESS_USERS: totals of all users
 * @TASKACCT_ACCESS_EXACT: CPU time to the ns, of this moment
 */
enum taskacct_access {
	TASKACCT_ACCESS_TASKS,
	TASKACCT_ACCESS_NAMES,
	TASKACCT_ACCESS_USERS,
	TASKACCT_ACCESS_EXACT,
};

/**
 * struct taskacct_access_rule - which capability gives access
 * @cap: in the user namespace that is asked about
 * @or_cap: or this one, in the initial user namespace; -1: no other
 */
struct taskacct_access_rule {
	int cap;
	int or_cap;
};

/*
 * The table. It is that of the kernel: taskstats takes CAP_NET_ADMIN, and what is in
 * /proc for those alone who may trace the task takes CAP_SYS_PTRACE or CAP_PERFMON.
 */
static const struct taskacct_access_rule taskacct_access_rules[] = {
	[TASKACCT_ACCESS_TASKS] = { CAP_NET_ADMIN, -1 },
	[TASKACCT_ACCESS_NAMES] = { CAP_SYS_PTRACE, CAP_PERFMON },
	[TASKACCT_ACCESS_USERS] = { CAP_SYS_PTRACE, CAP_PERFMON },
	[TASKACCT_ACCESS_EXACT] = { CAP_NET_ADMIN, -1 },
};

/**
 * taskacct_access_of_request() - whether the sender of a request has access
 * @request: the request
 * @what: what it wants to be told
 * @ns: of whose tasks
 *
 * Both the socket's opener and the sender need the capability.
 *
 * Context: the request's task.
 * Return: true if so.
 */
static inline bool taskacct_access_of_request(const struct sk_buff *request,
					      enum taskacct_access what,
					      struct user_namespace *ns)
{
	const struct taskacct_access_rule *rule = &taskacct_access_rules[what];

	return netlink_ns_capable(request, ns, rule->cap) ||
	       (rule->or_cap >= 0 && netlink_capable(request, rule->or_cap));
}

/**
 * taskacct_access_of_file() - whether who opened a file has access
 * @file: the file
 * @what: what is read there
 *
 * What is in the file is of the whole machine. Asked is the opener alone: a program
 * with more rights does not read for somebody else what is its standard input.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool taskacct_access_of_file(const struct file *file,
					   enum taskacct_access what)
{
	const struct taskacct_access_rule *rule = &taskacct_access_rules[what];
	const kernel_cap_t has = file->f_cred->cap_effective;

	/* Without the first of each the refusal would be in the audit log. */
	return (cap_raised(has, rule->cap) &&
		file_ns_capable(file, &init_user_ns, rule->cap)) ||
	       (rule->or_cap >= 0 && cap_raised(has, rule->or_cap) &&
		file_ns_capable(file, &init_user_ns, rule->or_cap));
}

#endif /* TASKACCT_ACCESS_H */
