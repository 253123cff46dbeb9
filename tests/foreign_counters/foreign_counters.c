// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another module that counts by taskacct, from process and interrupt context
 *
 * It is told what to do in /sys/module/foreign_counters/parameters/:
 *
 * add		a name: the counter is added; read: its number, or the error
 * add_kind	"NAME KIND UNIT": the same for one of that kind, which is a number
 * del		a number: the counter is deleted; read: 0 or the error
 * adjust	"NUMBER DELTA": adjusted on the CPU of the writer
 * beat		"A B DELTA": a thread for each CPU adds DELTA to A and takes it
 *		from B, as one, over and over, and now and then has an interrupt
 *		on every CPU do the same; "0 0 0" ends it
 * beats	read: how often that was done since it was begun
 * hold		1: begins an update of this CPU's counters, as a module would that
 *		never ends it; 0, on that CPU: ends it
 * invent	"CPU steal|guest|guest_nice NS": added to the kernel's own figure, as
 *		if a hypervisor had been there
 * guest	NS: the writer has run a guest for so long
 * wait_io	milliseconds: the writer waits for so long as for I/O
 * softirqs	N: the writer runs the handler of a softirq so often, of half a
 *		millisecond, is preempted each time when that begins and when it has
 *		just ended, and then spins for 2 ms
 *
 * The two counters have one writer on each CPU at a time but for interrupts,
 * which counters have to bear.
 */
#include <linux/atomic.h>
#include <linux/bottom_half.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/jiffies.h>
#include <linux/kernel_stat.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include <linux/taskacct_counters.h>

#define THREADS_MAX	8
/* From one round of interrupts to the next */
#define BETWEEN		100

static int beat_to, beat_from;
static s64 beat_delta;
static struct task_struct *threads[THREADS_MAX];
static atomic64_t beats_done;

static void beat_once(void *unused)
{
	taskacct_counters_begin();
	taskacct_counter_adjust(beat_to, beat_delta);
	taskacct_counter_adjust(beat_from, -beat_delta);
	taskacct_counters_end();
	atomic64_inc(&beats_done);
}

static int beat_on(void *unused)
{
	unsigned int i;

	for (i = 0; !kthread_should_stop(); i++) {
		beat_once(NULL);
		if (i % BETWEEN == 0)
			on_each_cpu(beat_once, NULL, 1);
		cond_resched();
	}
	return 0;
}

static void stop_beating(void)
{
	unsigned int i;

	for (i = 0; i < THREADS_MAX; i++) {
		if (threads[i])
			kthread_stop(threads[i]);
		threads[i] = NULL;
	}
}

static int start_beating(void)
{
	const unsigned int n = min(num_online_cpus(), THREADS_MAX + 0U);
	struct task_struct *thread;
	unsigned int i;

	atomic64_set(&beats_done, 0);
	for (i = 0; i < n; i++) {
		thread = kthread_run(beat_on, NULL, "count/%u", i);
		if (IS_ERR(thread)) {
			stop_beating();
			return PTR_ERR(thread);
		}
		threads[i] = thread;
	}
	return 0;
}

static int set_beat(const char *text, const struct kernel_param *kp)
{
	int to, from;
	s64 delta;

	if (sscanf(text, "%d %d %lld", &to, &from, &delta) != 3)
		return -EINVAL;
	stop_beating();
	beat_to = to;
	beat_from = from;
	beat_delta = delta;
	return delta ? start_beating() : 0;
}

static const struct kernel_param_ops beat_ops = { .set = set_beat };
module_param_cb(beat, &beat_ops, NULL, 0200);
MODULE_PARM_DESC(beat, "A B DELTA: from B to A, on all CPUs");

static int get_beats(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%lld\n",
			 (s64)atomic64_read(&beats_done));
}

static const struct kernel_param_ops beats_ops = { .get = get_beats };
module_param_cb(beats, &beats_ops, NULL, 0444);
MODULE_PARM_DESC(beats, "how often beat was done");

/* Preemption goes on in between. The writer has to be pinned. */
static int set_hold(const char *text, const struct kernel_param *kp)
{
	bool on;
	int err;

	err = kstrtobool(text, &on);
	if (err)
		return err;
	if (on) {
		taskacct_counters_begin();
		preempt_enable();
	} else {
		preempt_disable();
		taskacct_counters_end();
	}
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = set_hold };
module_param_cb(hold, &hold_ops, NULL, 0200);
MODULE_PARM_DESC(hold, "1: begin an update here; 0: end it");

static int added, deleted;

static int set_add(const char *text, const struct kernel_param *kp)
{
	char *name = kstrdup(text, GFP_KERNEL);

	if (!name)
		return -ENOMEM;
	added = taskacct_counter_add(strim(name));
	kfree(name);
	return 0;
}

static const struct kernel_param_ops add_ops = {
	.set = set_add,
	.get = param_get_int,
};
module_param_cb(add, &add_ops, &added, 0644);
MODULE_PARM_DESC(add, "name of a counter to add; read: its number or error");

static int set_add_kind(const char *text, const struct kernel_param *kp)
{
	char name[300], unit[64];
	unsigned int kind;

	if (sscanf(text, "%299s %u %63s", name, &kind, unit) != 3)
		return -EINVAL;
	added = taskacct_counter_add_kind(name, kind, unit);
	return 0;
}

static const struct kernel_param_ops add_kind_ops = {
	.set = set_add_kind,
	.get = param_get_int,
};
module_param_cb(add_kind, &add_kind_ops, &added, 0644);
MODULE_PARM_DESC(add_kind, "NAME KIND UNIT: a counter to add; read: as of add");

static int set_del(const char *text, const struct kernel_param *kp)
{
	int instance, err;

	err = kstrtoint(text, 10, &instance);
	if (err)
		return err;
	deleted = taskacct_counter_del(instance);
	return 0;
}

static const struct kernel_param_ops del_ops = {
	.set = set_del,
	.get = param_get_int,
};
module_param_cb(del, &del_ops, &deleted, 0644);
MODULE_PARM_DESC(del, "number of a counter to delete; read: 0 or the error");

static int set_adjust(const char *text, const struct kernel_param *kp)
{
	int instance;
	s64 delta;

	if (sscanf(text, "%d %lld", &instance, &delta) != 2)
		return -EINVAL;
	taskacct_counter_adjust(instance, delta);
	return 0;
}

static const struct kernel_param_ops adjust_ops = { .set = set_adjust };
module_param_cb(adjust, &adjust_ops, NULL, 0200);
MODULE_PARM_DESC(adjust, "NUMBER DELTA: adjust a counter here");

/* Adds to what nobody writes on a machine without a hypervisor or guests. */
static int set_invent(const char *text, const struct kernel_param *kp)
{
	static const struct {
		const char *word;
		enum cpu_usage_stat at;
	} figures[] = {
		{ "steal", CPUTIME_STEAL },
		{ "guest", CPUTIME_GUEST },
		{ "guest_nice", CPUTIME_GUEST_NICE },
	};
	unsigned int cpu, i;
	char word[16];
	s64 ns;

	if (sscanf(text, "%u %15s %lld", &cpu, word, &ns) != 3 ||
	    cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(figures); i++) {
		if (strcmp(word, figures[i].word))
			continue;
		kcpustat_cpu(cpu).cpustat[figures[i].at] += ns;
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops invent_ops = { .set = set_invent };
module_param_cb(invent, &invent_ops, NULL, 0200);
MODULE_PARM_DESC(invent, "CPU CLASS NS: add to the kernel's own figure");

/* A guest's time is in user mode, and told apart from the rest of that. */
static int set_guest(const char *text, const struct kernel_param *kp)
{
	u64 ns;
	int err;

	err = kstrtou64(text, 10, &ns);
	if (err)
		return err;
	current->utime += ns;
	current->gtime += ns;
	return 0;
}

static const struct kernel_param_ops guest_ops = { .set = set_guest };
module_param_cb(guest, &guest_ops, NULL, 0200);
MODULE_PARM_DESC(guest, "NS: the writer has run a guest for so long");

static int set_wait_io(const char *text, const struct kernel_param *kp)
{
	unsigned int ms;
	int err;

	err = kstrtouint(text, 10, &ms);
	if (err)
		return err;
	__set_current_state(TASK_UNINTERRUPTIBLE);
	io_schedule_timeout(msecs_to_jiffies(ms));
	return 0;
}

static const struct kernel_param_ops wait_io_ops = { .set = set_wait_io };
module_param_cb(wait_io, &wait_io_ops, NULL, 0200);
MODULE_PARM_DESC(wait_io, "MS: wait here for so long as for I/O");

static struct task_struct *preempter, *preempted;

static int preempt_on(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
	}
	return 0;
}

static void on_softirq_exit(void *unused, unsigned int vector)
{
	if (current == READ_ONCE(preempted))
		wake_up_process(preempter);
}

static void find_softirq_exit(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "softirq_exit"))
		*(struct tracepoint **)found = tp;
}

static void spin(u64 ns)
{
	const u64 end = ktime_get_ns() + ns;

	while (ktime_get_ns() < end)
		cpu_relax();
}

/* Where handlers cannot be preempted it is put off. */
static void handle(struct tasklet_struct *unused)
{
	wake_up_process(preempter);
	spin(NSEC_PER_MSEC / 2);
}

static DECLARE_TASKLET(handler, handle);

static void preempt_here(unsigned int n)
{
	while (n--) {
		local_bh_disable();
		tasklet_schedule(&handler);
		WRITE_ONCE(preempted, current);
		local_bh_enable();
		WRITE_ONCE(preempted, NULL);
		spin(2 * NSEC_PER_MSEC);
		cond_resched();
	}
	tasklet_kill(&handler);
}

/* The writer has to be pinned. */
static int set_softirqs(const char *text, const struct kernel_param *kp)
{
	struct tracepoint *tp = NULL;
	unsigned int n;
	int err;

	err = kstrtouint(text, 10, &n);
	if (err)
		return err;
	for_each_kernel_tracepoint(find_softirq_exit, &tp);
	if (!tp)
		return -ENOENT;
	preempter = kthread_create(preempt_on, NULL, "count/preempt");
	if (IS_ERR(preempter))
		return PTR_ERR(preempter);
	kthread_bind(preempter, raw_smp_processor_id());
	sched_set_fifo(preempter);
	wake_up_process(preempter);
	err = tracepoint_probe_register(tp, on_softirq_exit, NULL);
	if (!err) {
		preempt_here(n);
		tracepoint_probe_unregister(tp, on_softirq_exit, NULL);
		tracepoint_synchronize_unregister();
	}
	kthread_stop(preempter);
	return err;
}

static const struct kernel_param_ops softirqs_ops = { .set = set_softirqs };
module_param_cb(softirqs, &softirqs_ops, NULL, 0200);
MODULE_PARM_DESC(softirqs, "N: be preempted in handlers of softirqs and behind");

static int __init count_init(void)
{
	return 0;
}

static void __exit count_exit(void)
{
	stop_beating();
}

module_init(count_init);
module_exit(count_exit);

MODULE_DESCRIPTION("Counts by taskacct, for its tests");
MODULE_LICENSE("GPL");
