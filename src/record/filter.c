// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which tasks a listener or a dump is about
 *
 * A filter is looked at before anything is made for the listener, so that one
 * who wants little costs little.
 */

#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <net/netlink.h>

#include <linux/taskacct.h>

#include "task/task.h"

#include "record.h"

#define HAS(filter, what)	((filter)->has & BIT(TASKACCT_FILTER_ATTR_##what))

#define ALL_KINDS	(TASKACCT_KIND_TASK | TASKACCT_KIND_PROCESS)

const struct nla_policy taskacct_filter_policy[TASKACCT_FILTER_ATTR_MAX + 1] = {
	/* Padding has no payload either. */
	[TASKACCT_FILTER_ATTR_PAD] = { .type = NLA_FLAG },
	[TASKACCT_FILTER_ATTR_KINDS] = NLA_POLICY_RANGE(NLA_U32, 1, ALL_KINDS),
	[TASKACCT_FILTER_ATTR_UID_MIN] = { .type = NLA_U32 },
	[TASKACCT_FILTER_ATTR_UID_MAX] = { .type = NLA_U32 },
	[TASKACCT_FILTER_ATTR_CGROUP_ID] = { .type = NLA_U64 },
	[TASKACCT_FILTER_ATTR_CGROUP_FD] = { .type = NLA_U32 },
	[TASKACCT_FILTER_ATTR_MIN_LIFETIME] = { .type = NLA_U64 },
	[TASKACCT_FILTER_ATTR_MIN_CPU_TIME] = { .type = NLA_U64 },
	[TASKACCT_FILTER_ATTR_FAILED] = { .type = NLA_FLAG },
	[TASKACCT_FILTER_ATTR_ONE_IN] = NLA_POLICY_MIN(NLA_U32, 1),
};

#if TASKACCT_HAVE_CGROUPS
static void set_cgroup(struct taskacct_filter *filter, struct cgroup *cgrp)
{
	filter->has |= BIT(TASKACCT_FILTER_ATTR_CGROUP_ID);
	filter->cgroup = cgroup_id(cgrp);
	filter->cgroup_level = cgrp->level;
}

static int find_cgroup_by_fd(struct taskacct_filter *filter, int fd)
{
	struct cgroup *cgrp = cgroup_get_from_fd(fd);
	int err = 0;

	if (IS_ERR(cgrp))
		return PTR_ERR(cgrp);
	if (cgrp->root == &cgrp_dfl_root)
		set_cgroup(filter, cgrp);
	else
		err = -EBADF;
	cgroup_put(cgrp);
	return err;
}

/* An RCU read section ends after so many cgroups. */
#define CGROUPS_AT_ONCE 1000

/* Gives way to others with the walk at @css, which must not be freed meanwhile */
static int pause_at(struct cgroup_subsys_state *css)
{
	/* One that is on its way out has been seen; what is below it went before. */
	if (!css_tryget(css))
		return -EAGAIN;
	rcu_read_unlock();
	cond_resched();
	rcu_read_lock();
	css_put(css);
	return fatal_signal_pending(current) ? -EINTR : 0;
}

/*
 * The kernel's own way by id is not exported everywhere. Looks no further than
 * the asker's cgroup namespace: of what is outside of it he sees nothing.
 */
static int find_cgroup_by_id(struct taskacct_filter *filter,
			     struct cgroup *root, u64 id)
{
	struct cgroup_subsys_state *css;
	unsigned int n = 0;
	int err = -ENOENT;

	if (!root)
		root = &cgrp_dfl_root.cgrp;
	rcu_read_lock();
	css_for_each_descendant_pre(css, &root->self) {
		if (cgroup_id(css->cgroup) == id) {
			set_cgroup(filter, css->cgroup);
			err = 0;
			break;
		}
		if (++n < CGROUPS_AT_ONCE)
			continue;
		err = pause_at(css);
		if (err == -EINTR)
			break;
		/* Else it is tried again at the next. */
		n = err ? n : 0;
		err = -ENOENT;
	}
	rcu_read_unlock();
	return err;
}

static bool in_cgroup(const struct taskacct_filter *filter,
		      struct task_struct *t)
{
	struct cgroup *cgrp = cgroup_ancestor(task_dfl_cgroup(t),
					      filter->cgroup_level);

	return cgrp && cgroup_id(cgrp) == filter->cgroup;
}
#else
static int find_cgroup_by_fd(struct taskacct_filter *filter, int fd)
{
	return -EOPNOTSUPP;
}

static int find_cgroup_by_id(struct taskacct_filter *filter,
			     struct cgroup *root, u64 id)
{
	return -EOPNOTSUPP;
}

static bool in_cgroup(const struct taskacct_filter *filter,
		      struct task_struct *t)
{
	return false;
}
#endif

static int parse_cgroup(struct taskacct_filter *filter, struct nlattr **attrs,
			struct cgroup *root, struct netlink_ext_ack *extack)
{
	const struct nlattr *fd = attrs[TASKACCT_FILTER_ATTR_CGROUP_FD];
	const struct nlattr *id = attrs[TASKACCT_FILTER_ATTR_CGROUP_ID];
	int err;

	if (fd && id) {
		NL_SET_ERR_MSG_ATTR(extack, fd,
				    "a cgroup both by id and by directory");
		return -EINVAL;
	}
	if (fd) {
		err = find_cgroup_by_fd(filter, nla_get_u32(fd));
		if (err)
			NL_SET_ERR_MSG_ATTR(extack, fd,
					    "not an open directory of a cgroup v2");
		return err;
	}
	err = find_cgroup_by_id(filter, root, nla_get_u64(id));
	if (err == -ENOENT)
		NL_SET_ERR_MSG_ATTR(extack, id, "no cgroup v2 has this id");
	return err;
}

/**
 * taskacct_filter_parse() - understand a request's filter
 * @filter: receives it
 * @view: the asker's
 * @nest: TASKACCT_CMD_ATTR_FILTER, or NULL: a filter that all meet
 * @extack: says what is wrong with it
 *
 * Context: the request's task, may sleep.
 * Return: 0, -EINVAL or -ERANGE for what makes no sense, -EBADF or -ENOENT for
 *	a cgroup that is none, or is outside of the asker's cgroup namespace, or
 *	-EINTR if the asker is killed.
 */
int taskacct_filter_parse(struct taskacct_filter *filter,
			  const struct taskacct_view *view,
			  const struct nlattr *nest,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[TASKACCT_FILTER_ATTR_MAX + 1];
	unsigned int i;
	int err;

	*filter = (struct taskacct_filter){ .uid_max = U32_MAX };
	if (!nest)
		return 0;
	err = nla_parse_nested(attrs, TASKACCT_FILTER_ATTR_MAX, nest,
			       taskacct_filter_policy, extack);
	if (err)
		return err;

	for (i = TASKACCT_FILTER_ATTR_KINDS; i < ARRAY_SIZE(attrs); i++)
		if (attrs[i] && i != TASKACCT_FILTER_ATTR_CGROUP_FD)
			filter->has |= BIT(i);
	if (HAS(filter, KINDS))
		filter->kinds =
			nla_get_u32(attrs[TASKACCT_FILTER_ATTR_KINDS]);
	if (HAS(filter, UID_MIN))
		filter->uid_min =
			nla_get_u32(attrs[TASKACCT_FILTER_ATTR_UID_MIN]);
	if (HAS(filter, UID_MAX))
		filter->uid_max =
			nla_get_u32(attrs[TASKACCT_FILTER_ATTR_UID_MAX]);
	if (filter->uid_min > filter->uid_max) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "range of uids is empty");
		return -EINVAL;
	}
	if (HAS(filter, MIN_LIFETIME))
		filter->min_lifetime =
			nla_get_u64(attrs[TASKACCT_FILTER_ATTR_MIN_LIFETIME]);
	if (HAS(filter, MIN_CPU_TIME))
		filter->min_cpu_time =
			nla_get_u64(attrs[TASKACCT_FILTER_ATTR_MIN_CPU_TIME]);
	if (HAS(filter, ONE_IN))
		filter->one_in =
			nla_get_u32(attrs[TASKACCT_FILTER_ATTR_ONE_IN]);
	if (HAS(filter, CGROUP_ID) || attrs[TASKACCT_FILTER_ATTR_CGROUP_FD])
		return parse_cgroup(filter, attrs, view->cgroup_root, extack);
	return 0;
}

/**
 * taskacct_filter_put() - write a filter into a message
 * @skb: the message
 * @type: of the nest
 * @filter: the filter
 *
 * Return: false if there is no room.
 */
bool taskacct_filter_put(struct sk_buff *skb, int type,
			 const struct taskacct_filter *filter)
{
	const int pad = TASKACCT_FILTER_ATTR_PAD;
	struct nlattr *nest = nla_nest_start(skb, type);

	if (!nest ||
	    (HAS(filter, KINDS) &&
	     nla_put_u32(skb, TASKACCT_FILTER_ATTR_KINDS, filter->kinds)) ||
	    (HAS(filter, UID_MIN) &&
	     nla_put_u32(skb, TASKACCT_FILTER_ATTR_UID_MIN, filter->uid_min)) ||
	    (HAS(filter, UID_MAX) &&
	     nla_put_u32(skb, TASKACCT_FILTER_ATTR_UID_MAX, filter->uid_max)) ||
	    (HAS(filter, CGROUP_ID) &&
	     nla_put_u64_64bit(skb, TASKACCT_FILTER_ATTR_CGROUP_ID,
			       filter->cgroup, pad)) ||
	    (HAS(filter, MIN_LIFETIME) &&
	     nla_put_u64_64bit(skb, TASKACCT_FILTER_ATTR_MIN_LIFETIME,
			       filter->min_lifetime, pad)) ||
	    (HAS(filter, MIN_CPU_TIME) &&
	     nla_put_u64_64bit(skb, TASKACCT_FILTER_ATTR_MIN_CPU_TIME,
			       filter->min_cpu_time, pad)) ||
	    (HAS(filter, FAILED) &&
	     nla_put_flag(skb, TASKACCT_FILTER_ATTR_FAILED)) ||
	    (HAS(filter, ONE_IN) &&
	     nla_put_u32(skb, TASKACCT_FILTER_ATTR_ONE_IN, filter->one_in)))
		return false;
	nla_nest_end(skb, nest);
	return true;
}

static bool uid_meets(const struct taskacct_filter *filter,
		      const struct taskacct_view *view, struct task_struct *t)
{
	uid_t uid = taskacct_view_uid(view, __task_cred(t)->uid);

	return uid >= filter->uid_min && uid <= filter->uid_max;
}

static u64 lifetime(const struct taskacct_subject *subject)
{
	const u64 until = subject->until ?: ktime_get_boottime_ns();

	return until - READ_ONCE(subject->task->start_boottime);
}

/**
 * taskacct_filter_may_meet() - whether a task or a process can be meant
 * @filter: the filter; its kinds are the caller's to look at
 * @view: whose uids
 * @subject: the task or process; what is not known of it is the most there is
 *
 * Context: any, under rcu_read_lock().
 * Return: false if it does not meet some condition.
 */
bool taskacct_filter_may_meet(const struct taskacct_filter *filter,
			      const struct taskacct_view *view,
			      const struct taskacct_subject *subject)
{
	const u32 uids = BIT(TASKACCT_FILTER_ATTR_UID_MIN) |
			 BIT(TASKACCT_FILTER_ATTR_UID_MAX);

	if ((filter->has & uids) && !uid_meets(filter, view, subject->task))
		return false;
	if (HAS(filter, FAILED) && !subject->exit_code)
		return false;
	if (subject->cpu_time < filter->min_cpu_time)
		return false;
	if (HAS(filter, CGROUP_ID) && !in_cgroup(filter, subject->task))
		return false;
	return !HAS(filter, MIN_LIFETIME) || lifetime(subject) >= filter->min_lifetime;
}

/**
 * taskacct_filter_meets() - whether a task or a process is meant
 * @filter: the filter; its kinds are the caller's to look at
 * @met: counts those that met all other conditions, if one in so many is meant
 * @view: whose uids
 * @subject: the task or process
 *
 * Context: any, under rcu_read_lock().
 * Return: true if it meets every condition.
 */
bool taskacct_filter_meets(const struct taskacct_filter *filter,
			   atomic_t *met, const struct taskacct_view *view,
			   const struct taskacct_subject *subject)
{
	if (likely(taskacct_filter_is_open(filter)))
		return true;
	if (!taskacct_filter_may_meet(filter, view, subject))
		return false;
	return !HAS(filter, ONE_IN) ||
	       (u32)atomic_inc_return(met) % filter->one_in == 0;
}
