// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has a task stay where it leaves its CPU: the kernel has counted what it ran, and
 * another has that time, but it is still there. Or has each thread of a process stay
 * before a function takes a lock. As when the CPU of a virtual machine stands still at
 * that place.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

static int task;
module_param(task, int, 0644);
MODULE_PARM_DESC(task, "who stays; 0: nobody");

static int process;
module_param(process, int, 0644);
MODULE_PARM_DESC(process, "whose threads stay before they take a lock; 0: nobody's");

static char function[64];
module_param_string(function, function, sizeof(function), 0444);
MODULE_PARM_DESC(function, "where that lock is taken");

static unsigned int stayed;
module_param(stayed, uint, 0444);
MODULE_PARM_DESC(stayed, "how many have stayed before a lock");

/* Who of it stayed first, and has not gone on; and of which process that is known */
static int first;
static int known;

static unsigned int us = 500;
module_param(us, uint, 0644);
MODULE_PARM_DESC(us, "for how long, in microseconds");

static struct tracepoint *sched_switch;

static notrace void stay(void)
{
	const u64 begin = ktime_get_mono_fast_ns();

	/* udelay() is not to be relied on in a VM that was told how fast it is. */
	while (ktime_get_mono_fast_ns() - begin < READ_ONCE(us) * 1000ULL)
		cpu_relax();
}

/* It has other arguments on each kernel. */
static notrace void on_switch(void *data)
{
	if (current->pid == READ_ONCE(task))
		stay();
}

static unsigned long caller_of(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	return regs_get_kernel_stack_nth(regs, 0);
#else
	return 0;
#endif
}

static int on_lock(struct kprobe *probe, struct pt_regs *regs)
{
	char caller[KSYM_SYMBOL_LEN];

	if (current->tgid != READ_ONCE(process))
		return 0;
	/* The first is overtaken by the next. */
	if (current->pid == READ_ONCE(first)) {
		WRITE_ONCE(first, 0);
		stay();
		stay();
		stay();
		return 0;
	}
	snprintf(caller, sizeof(caller), "%ps ", (void *)caller_of(regs));
	if (!strncmp(caller, function, strlen(function)) &&
	    caller[strlen(function)] == ' ') {
		if (xchg(&known, current->tgid) != current->tgid)
			WRITE_ONCE(first, current->pid);
		WRITE_ONCE(stayed, stayed + 1);
		stay();
	}
	return 0;
}

static struct kprobe lock_probe = {
	.symbol_name = "_raw_spin_lock",
	.pre_handler = on_lock,
};

static void find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

static int __init linger_init(void)
{
	int err;

	for_each_kernel_tracepoint(find, NULL);
	if (!sched_switch)
		return -ENOENT;
	if (*function) {
		err = register_kprobe(&lock_probe);
		if (err)
			return err;
	}
	err = tracepoint_probe_register(sched_switch, on_switch, NULL);
	if (err && *function)
		unregister_kprobe(&lock_probe);
	return err;
}

static void __exit linger_exit(void)
{
	if (lock_probe.addr)
		unregister_kprobe(&lock_probe);
	tracepoint_probe_unregister(sched_switch, on_switch, NULL);
	tracepoint_synchronize_unregister();
}

module_init(linger_init);
module_exit(linger_exit);
MODULE_DESCRIPTION("Has a task stay where it leaves its CPU, for tests of taskacct");
MODULE_LICENSE("GPL");
