/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who may ask, about whom, and for how long: what other folders may use
 */
#ifndef TASKACCT_ACCESS_H
#define TASKACCT_ACCESS_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "task/task.h"

struct cred;
struct mm_struct;
struct netlink_ext_ack;
struct signal_struct;
struct sk_buff;
struct task_struct;
struct user_namespace;

/* reach.c: who may ask about whom */

/**
 * enum taskacct_reach_level - what gives an asker access to tasks
 * @TASKACCT_REACH_NOTHING: nothing does: what a struct that nobody filled says
 * @TASKACCT_REACH_OWN_PROCESS: they are threads of its own process, and it asks
 *	for them by number
 * @TASKACCT_REACH_TRACEABLE: it may trace them
 * @TASKACCT_REACH_USER_NS: it has CAP_NET_ADMIN over their user namespace
 * @TASKACCT_REACH_PID_NS: it has CAP_NET_ADMIN in the initial user namespace, and
 *	they are in its pid namespace
 * @TASKACCT_REACH_ALL: it has CAP_NET_ADMIN in the initial user namespace, and is
 *	in the initial pid namespace
 *
 * Each level gives access to more tasks than the one before.
 */
enum taskacct_reach_level {
	TASKACCT_REACH_NOTHING,
	TASKACCT_REACH_OWN_PROCESS,
	TASKACCT_REACH_TRACEABLE,
	TASKACCT_REACH_USER_NS,
	TASKACCT_REACH_PID_NS,
	TASKACCT_REACH_ALL,
};

/**
 * struct taskacct_reach - which tasks an asker may ask about
 * @level: what gives it access
 * @view: its namespaces; no task outside of the pid namespace
 * @over: the user namespace that TASKACCT_REACH_USER_NS is about, else NULL
 * @cred: credentials that TASKACCT_REACH_TRACEABLE is decided by, else NULL
 * @self: its own process, which it may always ask about; only compared. NULL
 *	once the request is over
 * @naps: how often the request, or a part of a dump, has slept to wait for tasks
 *	that execute a program
 */
struct taskacct_reach {
	enum taskacct_reach_level level;
	struct taskacct_view view;
	const struct user_namespace *over;
	const struct cred *cred;
	const struct signal_struct *self;
	unsigned int naps;
};

extern bool taskacct_reach_unprivileged;
extern bool taskacct_reach_all_users;

int taskacct_reach_of(struct taskacct_reach *reach, const struct sk_buff *skb,
		      struct netlink_ext_ack *extack);
int taskacct_reach_need_others(const struct taskacct_reach *reach,
			       struct netlink_ext_ack *extack);
void taskacct_reach_hold(struct taskacct_reach *reach);
void taskacct_reach_drop(struct taskacct_reach *reach);
void taskacct_reach_go_on(struct taskacct_reach *reach);
bool taskacct_reach_knows(const struct taskacct_reach *reach,
			  const struct taskacct_reach *other);
int taskacct_reach_allowed(const struct sk_buff *skb,
			   struct netlink_ext_ack *extack);
int taskacct_reach_users(kuid_t *only, bool privileged,
			 struct netlink_ext_ack *extack);
int taskacct_reach_lock(struct taskacct_reach *reach, struct task_struct *t);
void taskacct_reach_unlock(struct task_struct *t);
bool taskacct_reach_has_limited(const struct taskacct_reach *reach,
				struct task_struct *t, struct mm_struct *mm);
bool taskacct_reach_has_current(const struct taskacct_reach *reach,
				const struct taskacct_kept *kept);

/**
 * taskacct_reach_is_limited() - whether there may be tasks out of reach
 * @reach: the reach
 *
 * Context: any.
 * Return: false if it is all of the machine.
 */
static inline bool taskacct_reach_is_limited(const struct taskacct_reach *reach)
{
	return unlikely(reach->level != TASKACCT_REACH_ALL);
}

/**
 * taskacct_reach_is_guest() - whether an asker is no administrator
 * @reach: its reach
 *
 * Context: any.
 * Return: false if it has the capability in the initial user namespace.
 */
static inline bool taskacct_reach_is_guest(const struct taskacct_reach *reach)
{
	return reach->level < TASKACCT_REACH_PID_NS;
}

/**
 * taskacct_reach_has() - whether a task is in reach
 * @reach: the reach
 * @t: the task
 * @mm: its address space, kept by the caller, or NULL
 *
 * Context: as for taskacct_reach_has_limited().
 */
static inline bool taskacct_reach_has(const struct taskacct_reach *reach,
				      struct task_struct *t,
				      struct mm_struct *mm)
{
	return !taskacct_reach_is_limited(reach) ||
	       taskacct_reach_has_limited(reach, t, mm);
}

/**
 * taskacct_reach_hears() - whether a listener may hear of an exit
 * @reach: the listener's
 * @kept: what was kept of the task, at its end; else NULL
 *
 * Context: the exit hook, or that at its end, for current.
 */
static inline bool taskacct_reach_hears(const struct taskacct_reach *reach,
					const struct taskacct_kept *kept)
{
	return !taskacct_reach_is_limited(reach) ||
	       taskacct_reach_has_current(reach, kept);
}

/* budget.c: how long the requests of one datagram may take */

int taskacct_budget_check(struct sk_buff *request,
			  struct netlink_ext_ack *extack);

#endif /* TASKACCT_ACCESS_H */
