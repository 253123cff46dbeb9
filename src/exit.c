// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pipeline: what happens when a task exits
 */

#include <linux/local_lock.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "classic.h"
#include "defer.h"
#include "exit.h"
#include "extended.h"
#include "fill.h"
#include "heard.h"
#include "listeners.h"
#include "netlink.h"
#include "stat.h"
#include "tgid.h"
#include "uid.h"

static void number_and_send(const struct taskacct_heard *heard,
			    const struct taskacct_values *values, bool last,
			    bool several)
{
	const struct taskacct_heard_by by = taskacct_heard_look(heard, last || !several);
	u32 seq = taskacct_netlink_next_seq();

	if (by.room)
		taskacct_classic_send(heard, values, seq, last, several);
	else if (by.classic)
		taskacct_classic_lose(heard, TASKACCT_LOSS_QUEUE);
	if (by.extended)
		taskacct_extended_send(heard, values, seq, last, several);
}

/*
 * Keeps a CPU's messages in the order of their numbers where those that send
 * them can be preempted. Inside taskacct_group.sending.
 */
static DEFINE_PER_CPU(local_lock_t, stream) = INIT_LOCAL_LOCK(stream);

static void send(const struct taskacct_heard *heard,
		 const struct taskacct_values *values, bool last, bool several)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		local_lock(&stream);
	number_and_send(heard, values, last, several);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		local_unlock(&stream);
}

/*
 * Who hears it is asked, and the message numbered and queued, on one CPU. On
 * PREEMPT_RT the locks of a queue may sleep.
 */
static void pin(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		migrate_disable();
	else
		preempt_disable();
}

static void unpin(void)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		migrate_enable();
	else
		preempt_enable();
}

static bool is_wanted(bool several)
{
	return taskacct_heard_here() && taskacct_extended_wanted(several);
}

/* The only thread that its process ever had, or all that is known of it */
static void exit_alone(bool several)
{
	const struct taskacct_heard *heard;
	struct taskacct_values values;

	pin();
	heard = taskacct_heard_here();
	if (heard) {
		taskacct_uid_note_values(&values, true);
		send(heard, &values, taskacct_tgid_is_only(), several);
	} else {
		taskacct_uid_note();
	}
	unpin();
}

static void exit_in_group(struct taskacct_group *group)
{
	const bool wanted = is_wanted(true);
	const struct taskacct_heard *heard;
	struct taskacct_values values;
	bool last = false;

	taskacct_tgid_lock(group);
	pin();
	heard = taskacct_heard_here();
	if (taskacct_tgid_add(group, &values, wanted && heard)) {
		/* It can take a while to see whether others will come. */
		unpin();
		taskacct_tgid_unlock(group, false);
		last = taskacct_tgid_finish(group, &values);
		pin();
		heard = taskacct_heard_here();
	}
	/*
	 * That nobody wants the process is certain only now: threads that were
	 * alive, or had no status yet, can have been noted before this one.
	 */
	if (heard && (wanted || (last && is_wanted(true))))
		send(heard, &values, last, true);
	unpin();
	taskacct_tgid_unlock(group, last);
}

static void account(bool several)
{
	struct taskacct_group *group = NULL;

	rcu_read_lock();
	if (several)
		group = taskacct_tgid_enter();
	if (!group)
		exit_alone(several);
	else if (!taskacct_tgid_is_noted())
		exit_in_group(group);
	rcu_read_unlock();
}

static void account_later(void)
{
	account(taskacct_tgid_needed());
}

/**
 * taskacct_exit() - account for the exit of the running task
 *
 * Context: the exit hook, once for every task; does not sleep, but for the
 *	locks of PREEMPT_RT where the hook allows it.
 */
void taskacct_exit(void)
{
	const bool several = taskacct_tgid_needed();

	if (likely(!several && !is_wanted(false))) {
		taskacct_uid_note();
		return;
	}
	taskacct_stat_inc(TASKACCT_STAT_EXITS);
	if (!taskacct_defer_needed()) {
		account(several);
	} else if (!taskacct_defer(account_later)) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		/* It has a number, as all that is lost. */
		if (taskacct_heard_here())
			taskacct_netlink_next_seq();
		taskacct_extended_miss(several);
		taskacct_uid_note();
	}
}
