// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on purpose, to prove that a run in the VM fails on each kind. The
 * module commits the one that its parameter names when it is loaded.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "which fault to commit");

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);
static DEFINE_MUTEX(sleeping);

static void commit_warning(void)
{
	WARN(1, "faults: on purpose\n");
}

static void commit_oops(void)
{
	char *nothing = NULL;

	/* The compiler must not see what is wrong. */
	OPTIMIZER_HIDE_VAR(nothing);
	*nothing = 0;
}

/* For kmemleak: nothing points to this any more when the function is left. */
static void commit_leak(void)
{
	void *lost;
	int i;

	for (i = 0; i < 10; i++) {
		lost = kmalloc(1000, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(lost);
	}
}

/* For lockdep: two locks in one order, then in the other. */
static void commit_deadlock(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

/* For KASAN. It reads: what it wrote would be in KASAN's own list of what is gone. */
static void commit_use_after_free(void)
{
	char *gone = kmalloc(64, GFP_KERNEL);

	kfree(gone);
	OPTIMIZER_HIDE_VAR(gone);
	READ_ONCE(*gone);
}

/* For DEBUG_ATOMIC_SLEEP. */
static void commit_atomic_sleep(void)
{
	spin_lock(&first);
	mutex_lock(&sleeping);
	mutex_unlock(&sleeping);
	spin_unlock(&first);
}

static void count_up(unsigned int *count)
{
	unsigned long end = jiffies + 5 * HZ;

	while (time_before(jiffies, end)) {
		(*count)++;
		cond_resched();
	}
}

static int count_beside(void *count)
{
	count_up(count);
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

/* For KCSAN: two tasks, one number, no lock. */
static void commit_race(void)
{
	struct task_struct *task;
	unsigned int count = 0;

	task = kthread_run(count_beside, &count, "faults");
	if (IS_ERR(task))
		return;
	count_up(&count);
	kthread_stop(task);
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "warning", commit_warning },
	{ "oops", commit_oops },
	{ "leak", commit_leak },
	{ "deadlock", commit_deadlock },
	{ "use-after-free", commit_use_after_free },
	{ "atomic-sleep", commit_atomic_sleep },
	{ "race", commit_race },
};

static int __init faults_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name)) {
			faults[i].commit();
			return 0;
		}
	}
	return -EINVAL;
}

static void __exit faults_exit(void)
{
}

module_init(faults_init);
module_exit(faults_exit);
MODULE_DESCRIPTION("Faults on purpose, for the test of the VM");
MODULE_LICENSE("GPL");
