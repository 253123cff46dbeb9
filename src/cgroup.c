// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tasks of a cgroup are doing, and what they have used
 *
 * The kernel exports no walk over the tasks of a cgroup: all tasks are looked
 * at, under RCU. That serves both versions of cgroups alike.
 */

#include <linux/cgroup.h>
#include <linux/cgroupstats.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>

#include <linux/taskacct.h>

#include "cgroup.h"
#include "fill.h"
#include "record.h"

#if TASKACCT_HAVE_CGROUPS
/**
 * struct member_test - whether tasks are in a cgroup
 * @cgrp: the cgroup, valid under the rcu_read_lock() that it was found under
 * @subsys: controller by which a task's cgroup of this hierarchy is found; -1
 *	for the hierarchy of version 2
 */
struct member_test {
	struct cgroup *cgrp;
	int subsys;
};

static struct cgroup *cgroup_of_task(const struct member_test *test,
				     struct task_struct *t)
{
	if (test->subsys < 0)
		return task_dfl_cgroup(t);
	return task_css_check(t, test->subsys, true)->cgroup;
}

/* Under rcu_read_lock(). Returns -EINVAL where it is none, -ENOENT where it was. */
static struct cgroup *cgroup_of_folder(const struct file *file)
{
	const struct super_block *sb = file_inode(file)->i_sb;
	struct kernfs_node *kn;
	struct cgroup *cgrp;

	if (strcmp(sb->s_type->name, "cgroup") &&
	    strcmp(sb->s_type->name, "cgroup2"))
		return ERR_PTR(-EINVAL);
	kn = file_inode(file)->i_private;
	if (kernfs_type(kn) != KERNFS_DIR)
		return ERR_PTR(-EINVAL);
	/* Cleared when the cgroup is removed, before it is freed under RCU */
	cgrp = rcu_dereference(*(void __rcu **)&kn->priv);
	return cgrp ?: ERR_PTR(-ENOENT);
}

static int begin_test(struct member_test *test, const struct file *file,
		      struct netlink_ext_ack *extack)
{
	unsigned long controllers;

	test->cgrp = cgroup_of_folder(file);
	if (IS_ERR(test->cgrp)) {
		NL_SET_ERR_MSG(extack, "not an open folder of a cgroup");
		return PTR_ERR(test->cgrp);
	}
	test->subsys = -1;
	if (test->cgrp->root == &cgrp_dfl_root)
		return 0;
	controllers = test->cgrp->root->subsys_mask;
	if (!controllers) {
		NL_SET_ERR_MSG(extack,
			       "a hierarchy of version 1 without a controller");
		return -EOPNOTSUPP;
	}
	test->subsys = __ffs(controllers);
	return 0;
}

static void count_task(struct cgroupstats *stats, struct task_struct *t)
{
	switch (task_state_to_char(t)) {
	case 'R':
		stats->nr_running++;
		break;
	case 'D':
		/* Of one that wakes up meanwhile either is right. */
		if (data_race(!t->in_iowait))
			stats->nr_uninterruptible++;
		else
			stats->nr_io_wait++;
		break;
	case 'T':
	case 't':
		stats->nr_stopped++;
		break;
	case 'X':
	case 'Z':
		break;
	default:
		stats->nr_sleeping++;
		break;
	}
}

static int count_tasks(struct cgroupstats *stats, const struct file *file,
		       struct netlink_ext_ack *extack)
{
	struct task_struct *process, *t;
	struct member_test test;
	int err;

	rcu_read_lock();
	err = begin_test(&test, file, extack);
	if (err)
		goto out;
	for_each_process_thread(process, t)
		if (cgroup_of_task(&test, t) == test.cgrp)
			count_task(stats, t);
out:
	rcu_read_unlock();
	return err;
}

/**
 * taskacct_cgroup_stats() - count what the tasks of a cgroup are doing
 * @stats: receives how many are in which state. One that sleeps for I/O is
 *	counted as that only, one that has exited not at all
 * @fd: an open folder of a cgroup, of either version
 * @extack: told what is wrong
 *
 * Context: the request's task, may sleep.
 * Return: 0, -EBADF, -EINVAL if it is no such folder, -ENOENT if that cgroup was
 *	removed, or -EOPNOTSUPP for a hierarchy of version 1 that has no controller.
 */
int taskacct_cgroup_stats(struct cgroupstats *stats, int fd,
			  struct netlink_ext_ack *extack)
{
	struct file *file = fget(fd);
	int err;

	*stats = (struct cgroupstats){};
	if (!file) {
		NL_SET_ERR_MSG(extack, "not an open file");
		return -EBADF;
	}
	err = count_tasks(stats, file, extack);
	fput(file);
	return err;
}

static int add_subtree(struct taskacct_values *values, u64 *id,
		       const struct file *file, struct netlink_ext_ack *extack)
{
	struct task_struct *process, *t;
	struct member_test test;
	int err;

	rcu_read_lock();
	err = begin_test(&test, file, extack);
	if (!err && test.subsys >= 0) {
		NL_SET_ERR_MSG(extack, "totals are of cgroups of version 2");
		err = -EOPNOTSUPP;
	}
	if (err)
		goto out;
	for_each_process_thread(process, t)
		if (!READ_ONCE(t->exit_state) &&
		    cgroup_is_descendant(task_dfl_cgroup(t), test.cgrp))
			taskacct_fill_add_task(values, t);
	*id = cgroup_id(test.cgrp);
out:
	rcu_read_unlock();
	return err;
}

/**
 * taskacct_cgroup_record() - add up the live tasks of a cgroup v2 and below
 * @record: receives the sum
 * @fd: an open folder of the cgroup
 * @extack: told what is wrong
 *
 * Context: the request's task, may sleep.
 * Return: as taskacct_cgroup_stats(); -EOPNOTSUPP for version 1.
 */
int taskacct_cgroup_record(struct taskacct_record *record, int fd,
			   struct netlink_ext_ack *extack)
{
	struct taskacct_values values = {};
	struct file *file = fget(fd);
	u64 id = 0;
	int err;

	if (!file) {
		NL_SET_ERR_MSG(extack, "not an open file");
		return -EBADF;
	}
	taskacct_fill_now(&values.until);
	err = add_subtree(&values, &id, file, extack);
	fput(file);
	if (!err)
		taskacct_record_fill_cgroup(record, id, &values);
	return err;
}
#endif /* TASKACCT_HAVE_CGROUPS */
