// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the tasks of a cgroup are doing, and what they have used
 *
 * The kernel exports no walk over the tasks of a cgroup: all tasks are looked
 * at. That serves both versions of cgroups alike.
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

#include "base/base.h"
#include "record/record.h"
#include "task/task.h"

#include "cgroup.h"

#if TASKACCT_HAVE_CGROUPS
/**
 * struct member_test - whether tasks are in a cgroup
 * @cgrp: the cgroup, referenced
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

/* Referenced. Returns -EINVAL where it is none, -ENOENT where it was. */
static struct cgroup *cgroup_of_directory(const struct file *file)
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
	return cgrp && cgroup_tryget(cgrp) ? cgrp : ERR_PTR(-ENOENT);
}

static void end_test(struct member_test *test)
{
	cgroup_put(test->cgrp);
}

static int begin_test(struct member_test *test, const struct file *file,
		      struct netlink_ext_ack *extack)
{
	unsigned long controllers;

	rcu_read_lock();
	test->cgrp = cgroup_of_directory(file);
	rcu_read_unlock();
	if (IS_ERR(test->cgrp)) {
		NL_SET_ERR_MSG(extack, "not an open directory of a cgroup");
		return PTR_ERR(test->cgrp);
	}
	test->subsys = -1;
	if (test->cgrp->root == &cgrp_dfl_root)
		return 0;
	controllers = test->cgrp->root->subsys_mask;
	if (!controllers) {
		NL_SET_ERR_MSG(extack,
			       "a hierarchy of version 1 without a controller");
		end_test(test);
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

/* A walk that counts what the tasks of a cgroup do */
struct count {
	struct member_test test;
	struct cgroupstats *stats;
};

static void count_member(struct task_struct *t, void *data)
{
	const struct count *count = data;

	if (cgroup_of_task(&count->test, t) == count->test.cgrp)
		count_task(count->stats, t);
}

static int count_tasks(struct cgroupstats *stats, const struct file *file,
		       struct netlink_ext_ack *extack)
{
	struct count count = { .stats = stats };
	int err = begin_test(&count.test, file, extack);

	if (err)
		return err;
	err = taskacct_tasks_visit(count_member, &count);
	end_test(&count.test);
	return err;
}

/**
 * taskacct_cgroup_stats() - count what the tasks of a cgroup are doing
 * @stats: receives how many are in which state. One that sleeps for I/O is
 *	counted as that only, one that has exited not at all
 * @fd: an open directory of a cgroup, of either version
 * @extack: says what is wrong
 *
 * Context: the request's task, may sleep.
 * Return: 0, -EBADF, -EINVAL if it is no such directory, -ENOENT if that cgroup was
 *	removed, -EOPNOTSUPP for a hierarchy of version 1 that has no controller,
 *	or -EINTR if the asker is killed.
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

/* A walk that adds up the live tasks of a cgroup and below */
struct sum {
	struct member_test test;
	struct taskacct_values *values;
};

static void add_member(struct task_struct *t, void *data)
{
	const struct sum *sum = data;

	if (!READ_ONCE(t->exit_state) &&
	    cgroup_is_descendant(task_dfl_cgroup(t), sum->test.cgrp))
		taskacct_fill_add_task(sum->values, t);
}

static int add_subtree(struct taskacct_values *values, u64 *id,
		       const struct file *file, struct netlink_ext_ack *extack)
{
	struct sum sum = { .values = values };
	int err = begin_test(&sum.test, file, extack);

	if (err)
		return err;
	if (sum.test.subsys < 0) {
		err = taskacct_tasks_visit(add_member, &sum);
		*id = cgroup_id(sum.test.cgrp);
	} else {
		NL_SET_ERR_MSG(extack, "totals are of cgroups of version 2");
		err = -EOPNOTSUPP;
	}
	end_test(&sum.test);
	return err;
}

/**
 * taskacct_cgroup_record() - add up the live tasks of a cgroup v2 and below
 * @record: receives the sum
 * @fd: an open directory of the cgroup
 * @extack: says what is wrong
 *
 * Context: the request's task, may sleep.
 * Return: as taskacct_cgroup_stats(); -EOPNOTSUPP for version 1.
 */
int taskacct_cgroup_record(struct taskacct_full_record *record, int fd,
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
	taskacct_runtime_forget();
	taskacct_fill_now(&values.until);
	err = add_subtree(&values, &id, file, extack);
	fput(file);
	if (!err)
		taskacct_record_fill_cgroup(record, id, &values);
	return err;
}
#endif /* TASKACCT_HAVE_CGROUPS */
