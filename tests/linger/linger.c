// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has a task stay where it leaves its CPU: the kernel has counted what it ran, and
 * another has that time, but it is still there. As when the CPU of a virtual machine
 * stands still at that place.
 */
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

static int task;
module_param(task, int, 0644);
MODULE_PARM_DESC(task, "who stays; 0: nobody");

static unsigned int us = 500;
module_param(us, uint, 0644);
MODULE_PARM_DESC(us, "for how long, in microseconds");

static struct tracepoint *sched_switch;

/* It has other arguments on each kernel. */
static notrace void on_switch(void *data)
{
	const u64 begin = ktime_get_mono_fast_ns();

	if (current->pid != READ_ONCE(task))
		return;
	/* udelay() is not to be relied on in a VM that was told how fast it is. */
	while (ktime_get_mono_fast_ns() - begin < READ_ONCE(us) * 1000ULL)
		cpu_relax();
}

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

static int __init linger_init(void)
{
	for_each_kernel_tracepoint(find, NULL);
	return sched_switch ?
		       tracepoint_probe_register(sched_switch, on_switch, NULL) :
		       -ENOENT;
}

static void __exit linger_exit(void)
{
	tracepoint_probe_unregister(sched_switch, on_switch, NULL);
	tracepoint_synchronize_unregister();
}

module_init(linger_init);
module_exit(linger_exit);
MODULE_DESCRIPTION("Has a task stay where it leaves its CPU, for tests of taskacct");
MODULE_LICENSE("GPL");
