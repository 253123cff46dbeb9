/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether there are cgroups, and the id of a task's
 */
#ifndef TASKACCT_COMPAT_LINUX_CGROUP_H
#define TASKACCT_COMPAT_LINUX_CGROUP_H

#include_next <linux/cgroup.h>

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

#endif /* TASKACCT_COMPAT_LINUX_CGROUP_H */
