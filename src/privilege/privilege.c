// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which privilege takes which capability
 *
 * has_privilege() decides by the table. Who asks differs: the sender of a request, who
 * opened a file, credentials that were kept, the current task. Each has a function that
 * says whether it has one capability.
 */

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "privilege.h"

/**
 * struct rule - which capability gives a privilege
 * @cap: in the user namespace that is asked about
 * @or_cap: or this one, in the initial user namespace; -1: no other
 */
struct rule {
	int cap;
	int or_cap;
};

/*
 * It is that of the kernel: taskstats takes CAP_NET_ADMIN, and what is in /proc for those
 * alone who may trace the task takes CAP_SYS_PTRACE or CAP_PERFMON. The devices are read
 * only, as files that root alone may read.
 */
static const struct rule rules[] = {
	[TASKACCT_PRIVILEGE_TASKS] = { CAP_NET_ADMIN, -1 },
	[TASKACCT_PRIVILEGE_NAMES] = { CAP_SYS_PTRACE, CAP_PERFMON },
	[TASKACCT_PRIVILEGE_USERS] = { CAP_SYS_PTRACE, CAP_PERFMON },
	[TASKACCT_PRIVILEGE_TRACE] = { CAP_SYS_PTRACE, -1 },
	[TASKACCT_PRIVILEGE_DEVICES] = { CAP_DAC_READ_SEARCH, -1 },
	[TASKACCT_PRIVILEGE_SIZES] = { CAP_SYS_RESOURCE, -1 },
};

typedef bool (*has_cap_fn)(const void *asker, const struct user_namespace *ns, int cap);

static __always_inline bool has_privilege(enum taskacct_privilege what, has_cap_fn has_cap,
					  const void *asker,
					  const struct user_namespace *ns)
{
	const struct rule *rule = &rules[what];

	return has_cap(asker, ns, rule->cap) ||
	       (rule->or_cap >= 0 && has_cap(asker, &init_user_ns, rule->or_cap));
}

static bool request_has_cap(const void *request, const struct user_namespace *ns, int cap)
{
	/* The kernel only reads the namespace; its functions do not say so. */
	return netlink_ns_capable(request, (struct user_namespace *)ns, cap);
}

static bool file_has_cap(const void *asker, const struct user_namespace *ns, int cap)
{
	const struct file *file = asker;

	/* Without the first the refusal of each reader would be in the audit log. */
	return cap_raised(file->f_cred->cap_effective, cap) &&
	       file_ns_capable(file, (struct user_namespace *)ns, cap);
}

/* As the kernel grants capabilities over a user namespace */
static bool cred_has_cap(const void *asker, const struct user_namespace *ns, int cap)
{
	const struct cred *cred = asker;

	for (; ns; ns = ns->parent) {
		if (ns == cred->user_ns)
			return cap_raised(cred->cap_effective, cap);
		if (ns->parent == cred->user_ns &&
		    uid_eq(ns->owner, cred->euid))
			return true;
	}
	return false;
}

static bool current_has_cap(const void *unused, const struct user_namespace *ns, int cap)
{
	return ns_capable((struct user_namespace *)ns, cap);
}

/**
 * taskacct_privilege_of_request() - whether the sender of a request has a privilege
 * @request: the request
 * @what: the privilege
 * @ns: over whose tasks
 *
 * Both the socket's opener and the sender need the capability.
 *
 * Context: the request's task.
 * Return: true if so.
 */
bool taskacct_privilege_of_request(const struct sk_buff *request,
				   enum taskacct_privilege what,
				   const struct user_namespace *ns)
{
	return has_privilege(what, request_has_cap, request, ns);
}

/**
 * taskacct_privilege_of_file() - whether who opened a file has a privilege
 * @file: the file
 * @what: the privilege
 *
 * What is in the file is of the whole machine. Asked is the opener alone: a program
 * with more rights does not read for somebody else what is its standard input.
 *
 * Return: true if so.
 */
bool taskacct_privilege_of_file(const struct file *file, enum taskacct_privilege what)
{
	return has_privilege(what, file_has_cap, file, &init_user_ns);
}

/**
 * taskacct_privilege_of_cred() - whether credentials give a privilege
 * @cred: the credentials, kept by the caller
 * @what: the privilege
 * @ns: over whose tasks; NULL: none's
 *
 * Security modules are not asked.
 *
 * Return: true if so.
 */
bool taskacct_privilege_of_cred(const struct cred *cred, enum taskacct_privilege what,
				const struct user_namespace *ns)
{
	return has_privilege(what, cred_has_cap, cred, ns);
}

/**
 * taskacct_privilege_of_current() - whether the current task has a privilege
 * @what: the privilege, over the whole machine
 *
 * Context: task context.
 * Return: true if so.
 */
bool taskacct_privilege_of_current(enum taskacct_privilege what)
{
	return has_privilege(what, current_has_cap, NULL, &init_user_ns);
}

/**
 * taskacct_privilege_check_open() - whether a device may be opened that only shows something
 * @file: of the device
 * @group: gid whose members may beside those with the privilege; -1: none
 *
 * Nodes have the mode 0444, since the group may change while they are there; it is this
 * that decides. Nobody has anything to write there, root included.
 *
 * Context: open of the device.
 * Return: 0 or -EACCES.
 */
int taskacct_privilege_check_open(const struct file *file, int group)
{
	if (file->f_mode & FMODE_WRITE)
		return -EACCES;
	return taskacct_privilege_of_current(TASKACCT_PRIVILEGE_DEVICES) ||
	       (group >= 0 && in_egroup_p(make_kgid(&init_user_ns, group))) ?
		       0 : -EACCES;
}
