/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether there are cgroups, the id of a task's, and where a namespace begins
 */
#ifndef TASKACCT_COMPAT_LINUX_CGROUP_H
#define TASKACCT_COMPAT_LINUX_CGROUP_H

#include_next <linux/cgroup.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>

#ifdef CONFIG_CGROUPS
#define TASKACCT_HAVE_CGROUPS 1
#else
#define TASKACCT_HAVE_CGROUPS 0
#endif

/**
 * taskacct_cgroup_id() - id of a task's cgroup v2
 * @t: the task
 *
 * Context: under rcu_read_lock().
 * Return: the id; 0 where there are no cgroups.
 */
static inline u64 taskacct_cgroup_id(struct task_struct *t)
{
#ifdef CONFIG_CGROUPS
	return cgroup_id(task_dfl_cgroup(t));
#else
	return 0;
#endif
}

/**
 * taskacct_cgroup_ns_root() - where current's cgroup namespace begins
 *
 * Context: task context.
 * Return: the cgroup v2, valid as long as current is in that namespace; NULL:
 *	at the root of all.
 */
static inline struct cgroup *taskacct_cgroup_ns_root(void)
{
#ifdef CONFIG_CGROUPS
	struct cgroup *root;

	root = current->nsproxy->cgroup_ns->root_cset->dfl_cgrp;
	return root == &cgrp_dfl_root.cgrp ? NULL : root;
#else
	return NULL;
#endif
}

/**
 * taskacct_cgroup_get() - keep a cgroup
 * @cgrp: the cgroup, for taskacct_cgroup_put()
 */
static inline void taskacct_cgroup_get(struct cgroup *cgrp)
{
#ifdef CONFIG_CGROUPS
	cgroup_get(cgrp);
#endif
}

/**
 * taskacct_cgroup_put() - let go of a cgroup
 * @cgrp: from taskacct_cgroup_get()
 */
static inline void taskacct_cgroup_put(struct cgroup *cgrp)
{
#ifdef CONFIG_CGROUPS
	cgroup_put(cgrp);
#endif
}

#endif /* TASKACCT_COMPAT_LINUX_CGROUP_H */
