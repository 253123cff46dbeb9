/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks a listener or a dump is about
 */
#ifndef TASKACCT_FILTER_H
#define TASKACCT_FILTER_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <net/netlink.h>

#include <linux/taskacct.h>

struct netlink_ext_ack;
struct nlattr;
struct sk_buff;
struct taskacct_view;

/**
 * struct taskacct_filter - which tasks are meant
 * @has: conditions that there are, a bit for each TASKACCT_FILTER_ATTR_*
 * @kinds: records that are meant, TASKACCT_KIND_*; 0: as the kernel has them
 * @uid_min: lowest real user id, in the view
 * @uid_max: highest real user id, in the view
 * @cgroup: id of the cgroup
 * @cgroup_level: how far it is from the root
 * @one_in: how many make one
 * @min_lifetime: shortest lifetime, in ns
 * @min_cpu_time: shortest CPU time, in ns
 */
struct taskacct_filter {
	u32 has;
	u32 kinds;
	u32 uid_min;
	u32 uid_max;
	u64 cgroup;
	int cgroup_level;
	u32 one_in;
	u64 min_lifetime;
	u64 min_cpu_time;
};

/**
 * struct taskacct_subject - what a filter looks at
 * @task: the task; of a process, its leader
 * @cpu_time: what it used, in ns
 * @exit_code: as wait() has it; 0 while it is alive
 */
struct taskacct_subject {
	struct task_struct *task;
	u64 cpu_time;
	u32 exit_code;
};

extern const struct nla_policy
	taskacct_filter_policy[TASKACCT_FILTER_ATTR_MAX + 1];

int taskacct_filter_parse(struct taskacct_filter *filter,
			  const struct taskacct_view *view,
			  const struct nlattr *nest,
			  struct netlink_ext_ack *extack);
bool taskacct_filter_put(struct sk_buff *skb, int type,
			 const struct taskacct_filter *filter);
/**
 * taskacct_filter_is_open() - whether a filter lets all through
 * @filter: the filter; its kinds are the caller's to look at
 *
 * Context: any.
 * Return: true if it has no condition.
 */
static inline bool taskacct_filter_is_open(const struct taskacct_filter *filter)
{
	return !(filter->has & ~BIT(TASKACCT_FILTER_ATTR_KINDS));
}

/**
 * taskacct_filter_excludes() - whether the exiting task fails a condition that is
 *	quickly looked at
 * @filter: the filter, of somebody in the initial user namespace
 *
 * Context: the exit hook, for current.
 * Return: true if it does; false says nothing.
 */
static inline bool taskacct_filter_excludes(const struct taskacct_filter *filter)
{
	const struct task_struct *t = current;
	uid_t uid;

	if ((filter->has & BIT(TASKACCT_FILTER_ATTR_FAILED)) &&
	    !READ_ONCE(t->exit_code))
		return true;
	uid = __kuid_val(current_real_cred()->uid);
	return uid < filter->uid_min || uid > filter->uid_max ||
	       READ_ONCE(t->utime) + READ_ONCE(t->stime) < filter->min_cpu_time;
}

bool taskacct_filter_may_meet(const struct taskacct_filter *filter,
			      const struct taskacct_view *view,
			      const struct taskacct_subject *subject);
bool taskacct_filter_meets(const struct taskacct_filter *filter,
			   atomic_t *met, const struct taskacct_view *view,
			   const struct taskacct_subject *subject);

#endif /* TASKACCT_FILTER_H */
