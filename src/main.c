// SPDX-License-Identifier: GPL-2.0-only
/*
 * taskacct: task accounting over generic netlink
 *
 * Parameters, and init and exit in order; nothing else.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>

#include <linux/taskacct.h>

#include "access/access.h"
#include "base/base.h"
#include "counters/counters.h"
#include "cputime/cputime.h"
#include "family/family.h"
#include "hooks/hooks.h"
#include "listen/listen.h"
#include "ring/ring.h"
#include "task/task.h"
#include "tgid/tgid.h"
#include "uid/uid.h"

static char *family = TASKACCT_GENL_NAME;
module_param(family, charp, 0444);
MODULE_PARM_DESC(family, "name of the generic netlink family, 1 to 15 characters");

static char *wanted_hook = "auto";

static int get_hook(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%s\n", taskacct_hooks_name());
}

/* Set: what is wanted. Read: what is in force. */
static const struct kernel_param_ops hook_ops = {
	.set = param_set_charp,
	.get = get_hook,
	.free = param_free_charp,
};

module_param_cb(hook, &hook_ops, &wanted_hook, 0444);
MODULE_PARM_DESC(hook, "what tells of exits: auto (default), ftrace, kprobe or tracepoint; when read, the one in force");

static const struct kernel_param_ops cputime_ops = {
	.set = taskacct_cputime_set,
	.get = taskacct_cputime_get,
};

module_param_cb(cputime, &cputime_ops, NULL, 0644);
MODULE_PARM_DESC(cputime, "where time per CPU is accounted: off (default), switch: at context switches and interrupts, full: at system calls as well");

module_param_named(unprivileged, taskacct_access_unprivileged, bool, 0644);
MODULE_PARM_DESC(unprivileged, "users without CAP_NET_ADMIN may ask about all tasks of their own, and listen, and not only about the process that asks; security modules are not asked (default: 0)");

static bool uid;
module_param(uid, bool, 0444);
MODULE_PARM_DESC(uid, "keep totals per user (default: no)");

static unsigned int uid_max = 65536;
module_param(uid_max, uint, 0444);
MODULE_PARM_DESC(uid_max, "users that are kept apart; all others together (default: 65536)");

static bool uid_debug;
module_param(uid_debug, bool, 0444);
MODULE_PARM_DESC(uid_debug, "lines of live tasks in /proc/uid_io/stats (default: no)");

module_param_named(uid_world, taskacct_access_all_users, bool, 0444);
MODULE_PARM_DESC(uid_world, "all users may read totals of all, and write, as on Android (default: no)");

static char *uid_dirs[TASKACCT_UID_DIRS] = {
	"uid_io", "uid_procstat", "uid_cputime",
};

module_param_array(uid_dirs, charp, NULL, 0444);
MODULE_PARM_DESC(uid_dirs, "names of the three directories in /proc (default: uid_io,uid_procstat,uid_cputime)");

/* Last: all that tells of tasks is there. */
static int __init start_uid(void)
{
	if (!uid)
		return 0;
	taskacct_uid_start();
	return taskacct_uid_proc_init(uid_dirs);
}

static int __init init_devices(void)
{
	int err = taskacct_dev_init();

	if (err)
		return err;
	err = taskacct_ring_init();
	if (err)
		taskacct_dev_exit();
	return err;
}

static int __init taskacct_init(void)
{
	int err;

	err = taskacct_counters_init();
	if (err)
		return err;
	err = taskacct_cputime_publish();
	if (err)
		goto err_publish;
	err = taskacct_stat_init();
	if (err)
		goto err_publish;
	err = taskacct_kept_init();
	if (err)
		goto err_publish;
	err = taskacct_runtime_init();
	if (err)
		goto err_runtime;
	err = taskacct_tgid_init();
	if (err)
		goto err_tgid;
	err = taskacct_listeners_init();
	if (err)
		goto err_listeners;
	taskacct_irqtime_look();
	err = uid ? taskacct_uid_init(uid_max, uid_debug) : 0;
	if (err)
		goto err_uid;
	err = taskacct_hooks_init(wanted_hook, uid);
	if (err)
		goto err_hooks;
	err = taskacct_tgid_adopt();
	if (err)
		goto err_adopt;
	err = taskacct_cputime_init(&taskacct_hooks_of_cpu);
	if (err)
		goto err_cputime;
	err = init_devices();
	if (err)
		goto err_devices;
	err = taskacct_netlink_init(family);
	if (err)
		goto err_netlink;
	err = taskacct_proc_init();
	if (err)
		goto err_proc;
	err = start_uid();
	if (err)
		goto err_start_uid;
	pr_info("family %s, hook %s\n", family, taskacct_hooks_name());
	return 0;

err_start_uid:
	taskacct_proc_exit();
err_proc:
	taskacct_netlink_exit();
err_netlink:
	taskacct_ring_exit();
	taskacct_dev_exit();
err_devices:
	taskacct_cputime_exit();
err_cputime:
err_adopt:
	taskacct_hooks_exit();
err_hooks:
	if (uid)
		taskacct_uid_exit();
err_uid:
	taskacct_listeners_exit();
err_listeners:
	taskacct_tgid_exit();
err_tgid:
	taskacct_runtime_exit();
err_runtime:
	taskacct_kept_exit();
err_publish:
	taskacct_counters_exit();
	taskacct_hooks_leave();
	return err;
}

static void __exit taskacct_exit_module(void)
{
	/*
	 * First nobody can ask any more: from the moment that exits go unseen
	 * answers would be wrong. Then what is there can go.
	 */
	taskacct_uid_proc_exit();
	taskacct_proc_exit();
	taskacct_netlink_exit();
	taskacct_ring_exit();
	taskacct_dev_exit();
	taskacct_cputime_exit();
	taskacct_hooks_exit();
	if (uid)
		taskacct_uid_exit();
	taskacct_listeners_exit();
	/* A group may have what was kept of a thread. */
	taskacct_tgid_exit();
	taskacct_runtime_exit();
	taskacct_kept_exit();
	taskacct_counters_exit();
	taskacct_hooks_leave();
}

module_init(taskacct_init);
module_exit(taskacct_exit_module);

MODULE_AUTHOR("The taskacct developers");
MODULE_DESCRIPTION("Task accounting over generic netlink");
MODULE_LICENSE("GPL");
MODULE_VERSION(TASKACCT_VERSION);
