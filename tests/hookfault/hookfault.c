// SPDX-License-Identifier: GPL-2.0-only
/*
 * What can go wrong with hooks, for the tests of taskacct's:
 *
 * namesakes	written: calls functions of this module that have the names of those
 *		that taskacct hooks, as a livepatch's may
 * dead		1: ftrace refuses everything, as after ftrace_kill(); 0: it does not.
 *		That function also stops it for good; this sets only its flag, at
 * dead_at	the address of the kernel's ftrace_disabled
 * gate		the name of a function: who calls it takes a mutex on the way: a
 *		lock that sleeps, as others do on PREEMPT_RT only
 * shut		1: that lock is held, by a worker, until 0 is written or, so that a
 *		test that fails ends, a minute has passed. Not by the writer: the
 *		kernel has one lock for all parameters of a module
 * waiting	tasks that wait for the lock, or are about to
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#define SHUT_MS	60000

/* The kernel's headers have these names, for others. */
static void other_taskstats_exit(void) asm("taskstats_exit");
static void other_exit_mm_release(void) asm("exit_mm_release");

static noinline void other_taskstats_exit(void)
{
	asm volatile("");
}

static noinline void other_exit_mm_release(void)
{
	asm volatile("");
}

static int set_namesakes(const char *value, const struct kernel_param *kp)
{
	other_taskstats_exit();
	other_exit_mm_release();
	return 0;
}

static const struct kernel_param_ops namesakes_ops = { .set = set_namesakes };

module_param_cb(namesakes, &namesakes_ops, NULL, 0200);
MODULE_PARM_DESC(namesakes, "calls functions with the names of hooked ones");

static unsigned long dead_at;
module_param(dead_at, ulong, 0600);
MODULE_PARM_DESC(dead_at, "address of ftrace_disabled");

static int set_dead(const char *value, const struct kernel_param *kp)
{
	bool dead;
	int err;

	err = kstrtobool(value, &dead);
	if (err)
		return err;
	if (!dead_at)
		return -EINVAL;
	WRITE_ONCE(*(int *)dead_at, dead);
	return 0;
}

static const struct kernel_param_ops dead_ops = { .set = set_dead };

module_param_cb(dead, &dead_ops, NULL, 0200);
MODULE_PARM_DESC(dead, "whether ftrace refuses everything");

static DEFINE_MUTEX(gate_lock);
static atomic_t nr_waiting;

#ifdef CONFIG_DYNAMIC_FTRACE
static void notrace on_gate(unsigned long ip, unsigned long parent_ip,
			    struct ftrace_ops *ops, void *regs)
{
	atomic_inc(&nr_waiting);
	mutex_lock(&gate_lock);
	mutex_unlock(&gate_lock);
	atomic_dec(&nr_waiting);
}

/* What the last argument is depends on the kernel. */
static struct ftrace_ops gate_ops = { .func = (void *)on_gate };

static int set_gate(const char *value, const struct kernel_param *kp)
{
	char name[64];
	int err;

	if (gate_ops.flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	strscpy(name, value, sizeof(name));
	err = ftrace_set_filter(&gate_ops, strim(name), strlen(strim(name)), 1);
	return err ? err : register_ftrace_function(&gate_ops);
}

static void forget_gate(void)
{
	if (gate_ops.flags & FTRACE_OPS_FL_ENABLED)
		unregister_ftrace_function(&gate_ops);
}
#else
static int set_gate(const char *value, const struct kernel_param *kp)
{
	return -EOPNOTSUPP;
}

static void forget_gate(void)
{
}
#endif

static const struct kernel_param_ops gate_param_ops = { .set = set_gate };

module_param_cb(gate, &gate_param_ops, NULL, 0200);
MODULE_PARM_DESC(gate, "function whose callers take a lock");

static DECLARE_COMPLETION(is_shut);
static DECLARE_COMPLETION(opened);

static void hold_gate(struct work_struct *work)
{
	mutex_lock(&gate_lock);
	complete(&is_shut);
	wait_for_completion_timeout(&opened, msecs_to_jiffies(SHUT_MS));
	mutex_unlock(&gate_lock);
}

static DECLARE_WORK(gate_work, hold_gate);

static void open_gate(void)
{
	complete(&opened);
	flush_work(&gate_work);
}

static int set_shut(const char *value, const struct kernel_param *kp)
{
	bool shut;
	int err;

	err = kstrtobool(value, &shut);
	if (err)
		return err;
	open_gate();
	if (!shut)
		return 0;
	reinit_completion(&is_shut);
	reinit_completion(&opened);
	queue_work(system_unbound_wq, &gate_work);
	wait_for_completion(&is_shut);
	return 0;
}

static const struct kernel_param_ops shut_ops = { .set = set_shut };

module_param_cb(shut, &shut_ops, NULL, 0200);
MODULE_PARM_DESC(shut, "whether that lock is held");

static int get_waiting(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%d\n", atomic_read(&nr_waiting));
}

static const struct kernel_param_ops waiting_ops = { .get = get_waiting };

module_param_cb(waiting, &waiting_ops, NULL, 0444);
MODULE_PARM_DESC(waiting, "tasks that wait for that lock");

static int __init hookfault_init(void)
{
	return 0;
}

static void __exit hookfault_exit(void)
{
	open_gate();
	forget_gate();
}

module_init(hookfault_init);
module_exit(hookfault_exit);

MODULE_DESCRIPTION("Hooks that go wrong, for tests of taskacct");
MODULE_LICENSE("GPL");
