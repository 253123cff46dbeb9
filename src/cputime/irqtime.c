// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the kernel measures the time of interrupts
 *
 * That it was built to does not say so: tsc=noirqtime, or a clock that is not
 * reliable, at boot or later, switches it off, and the variable that says so is not
 * exported. Its effect can be seen: where interrupts are measured, each one adds to
 * the time of its CPU that went to interrupts. Where they are sampled, only one
 * that a tick happens to meet does. So a few interrupts are made, by a timer, and
 * each looks whether the one before has been counted.
 */

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include <taskacct_features.h>

#include "cputime.h"

/* Interrupts that are made, and how many of them have to be counted */
#define ROUNDS	9
#define ENOUGH	4
#define GAP_NS	100000

/* How long what was found is taken for true */
#define LASTS	(10 * HZ)

bool taskacct_irqtime_on;

/* Protects when it was looked last; held while it is looked. Innermost. */
static DEFINE_MUTEX(look_mutex);
static unsigned long looked_at;
static bool has_looked;

/**
 * struct look - interrupts that look whether those before were counted
 * @timer: makes them, all on one CPU
 * @done: completed by the last one
 * @then: the CPU's time of interrupts as the one before saw it
 * @rounds: how many there were
 * @counted: how many of them saw more time than the one before
 */
struct look {
	struct hrtimer timer;
	struct completion done;
	u64 then;
	unsigned int rounds;
	unsigned int counted;
};

static u64 time_of_interrupts(void)
{
	const u64 *theirs = kcpustat_this_cpu->cpustat;

	return theirs[CPUTIME_IRQ] + theirs[CPUTIME_SOFTIRQ];
}

static enum hrtimer_restart on_timer(struct hrtimer *timer)
{
	struct look *look = container_of(timer, struct look, timer);
	const u64 now = time_of_interrupts();

	if (look->rounds++ && now > look->then)
		look->counted++;
	look->then = now;
	if (look->rounds == ROUNDS) {
		complete(&look->done);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(GAP_NS));
	return HRTIMER_RESTART;
}

/* All of them together are shorter than a tick, of which one may be counted. */
static bool look(void)
{
	struct look look = {
		.done = COMPLETION_INITIALIZER_ONSTACK(look.done),
	};

	taskacct_hrtimer_setup_on_stack(&look.timer, on_timer, CLOCK_MONOTONIC,
					HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&look.timer, ns_to_ktime(GAP_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
	wait_for_completion(&look.done);
	hrtimer_cancel(&look.timer);
	destroy_hrtimer_on_stack(&look.timer);
	return look.counted >= ENOUGH;
}

/**
 * taskacct_irqtime_look() - find out whether the kernel measures interrupts
 *
 * Once in a while: it takes the time of a few timers.
 *
 * Context: task context, may sleep.
 */
void taskacct_irqtime_look(void)
{
	might_sleep();
	if (!taskacct_features_may_measure_irqs())
		return;
	mutex_lock(&look_mutex);
	if (!has_looked || time_after(jiffies, looked_at + LASTS)) {
		WRITE_ONCE(taskacct_irqtime_on, look());
		looked_at = jiffies;
		has_looked = true;
	}
	mutex_unlock(&look_mutex);
}
