/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may ask, about whom, and for how long: what other directories may use
 */
#ifndef TASKACCT_ACCESS_H
#define TASKACCT_ACCESS_H

#include <linux/compiler.h>
#include <linux/cred.h>
#include <linux/netlink.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "task/task.h"

struct mm_struct;
struct signal_struct;
struct task_struct;

/* access.c: who may ask about whom */

/**
 * enum taskacct_access_level - what gives an asker access to tasks
 * @TASKACCT_ACCESS_NOTHING: nothing does: what a struct that nobody filled says
 * @TASKACCT_ACCESS_OWN_PROCESS: they are threads of its own process, and it asks
 *	for them by number
 * @TASKACCT_ACCESS_TRACEABLE: it may trace them
 * @TASKACCT_ACCESS_USER_NS: it has CAP_NET_ADMIN over their user namespace
 * @TASKACCT_ACCESS_PID_NS: it has CAP_NET_ADMIN in the initial user namespace, and
 *	they are in its pid namespace
 * @TASKACCT_ACCESS_ALL: it has CAP_NET_ADMIN in the initial user namespace, and is
 *	in the initial pid namespace
 *
 * Each level gives access to more tasks than the one before.
 */
enum taskacct_access_level {
	TASKACCT_ACCESS_NOTHING,
	TASKACCT_ACCESS_OWN_PROCESS,
	TASKACCT_ACCESS_TRACEABLE,
	TASKACCT_ACCESS_USER_NS,
	TASKACCT_ACCESS_PID_NS,
	TASKACCT_ACCESS_ALL,
};

/**
 * struct taskacct_access - which tasks an asker may ask about
 * @level: what gives it access
 * @view: its namespaces; no task outside of the pid namespace
 * @user_ns: the user namespace that TASKACCT_ACCESS_USER_NS is about, else NULL
 * @cred: credentials that TASKACCT_ACCESS_TRACEABLE is decided by, else NULL
 * @self: its own process, which it may always ask about; only compared. NULL
 *	once the request is over
 * @retries: how often the request, or a part of a dump, has slept to wait for tasks
 *	that execute a program
 */
struct taskacct_access {
	enum taskacct_access_level level;
	struct taskacct_view view;
	const struct user_namespace *user_ns;
	const struct cred *cred;
	const struct signal_struct *self;
	unsigned int retries;
};

extern bool taskacct_access_unprivileged;
extern bool taskacct_access_all_users;

int taskacct_access_of(struct taskacct_access *access, const struct sk_buff *skb,
		       struct netlink_ext_ack *extack);
int taskacct_access_need_others(const struct taskacct_access *access,
				struct netlink_ext_ack *extack);
int taskacct_access_need_names(const struct taskacct_access *access,
			       const struct sk_buff *skb, u32 want,
			       struct netlink_ext_ack *extack);
bool taskacct_access_is_own(const struct taskacct_access *access,
			    const struct task_struct *t);
void taskacct_access_hold(struct taskacct_access *access);
void taskacct_access_drop(struct taskacct_access *access);
void taskacct_access_go_on(struct taskacct_access *access);
bool taskacct_access_knows(const struct taskacct_access *access,
			   const struct taskacct_access *other);
int taskacct_access_allowed(const struct sk_buff *skb,
			    struct netlink_ext_ack *extack);
int taskacct_access_users(kuid_t *only, bool privileged,
			  struct netlink_ext_ack *extack);
int taskacct_access_lock(struct taskacct_access *access, struct task_struct *t);
void taskacct_access_unlock(struct task_struct *t);
bool taskacct_access_has_limited(const struct taskacct_access *access,
				 struct task_struct *t, struct mm_struct *mm);
bool taskacct_access_has_current(const struct taskacct_access *access,
				 const struct taskacct_kept *kept);

/**
 * taskacct_access_is_limited() - whether there may be tasks out of access
 * @access: the access
 *
 * Return: false if it is all of the machine.
 */
static inline bool taskacct_access_is_limited(const struct taskacct_access *access)
{
	return unlikely(access->level != TASKACCT_ACCESS_ALL);
}

/**
 * taskacct_access_is_unprivileged() - whether an asker is no administrator
 * @access: its access
 *
 * Return: false if it has the capability in the initial user namespace.
 */
static inline bool taskacct_access_is_unprivileged(const struct taskacct_access *access)
{
	return access->level < TASKACCT_ACCESS_PID_NS;
}

/**
 * taskacct_access_has() - whether a task is accessible
 * @access: the access
 * @t: the task
 * @mm: its address space, kept by the caller, or NULL
 *
 * Context: as for taskacct_access_has_limited().
 */
static inline bool taskacct_access_has(const struct taskacct_access *access,
				       struct task_struct *t,
				       struct mm_struct *mm)
{
	return !taskacct_access_is_limited(access) ||
	       taskacct_access_has_limited(access, t, mm);
}

/**
 * taskacct_access_sees_exit() - whether a listener may receive an exit
 * @access: the listener's
 * @kept: what was kept of the task, at its end; else NULL
 *
 * Context: the exit hook, or that at its end, for current.
 */
static inline bool taskacct_access_sees_exit(const struct taskacct_access *access,
					     const struct taskacct_kept *kept)
{
	return !taskacct_access_is_limited(access) ||
	       taskacct_access_has_current(access, kept);
}

/* budget.c: how long the requests of one datagram may take */

int taskacct_budget_check(struct sk_buff *request,
			  struct netlink_ext_ack *extack);

#endif /* TASKACCT_ACCESS_H */
