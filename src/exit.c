// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pipeline: what happens when a task exits
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "defer.h"
#include "exit.h"
#include "fanout.h"
#include "fill.h"
#include "heard.h"
#include "netlink.h"
#include "stat.h"
#include "tgid.h"
#include "uid.h"
#include "wanted.h"

/* Attempts to send messages while it changes who hears the CPU */
#define TRIES	3

static bool is_wanted(bool several)
{
	return taskacct_heard_here() && taskacct_wanted(several);
}

static void tell(const struct taskacct_values *values, bool last, bool several)
{
	struct taskacct_fanout out;
	unsigned int tries = TRIES;

	taskacct_fanout_make(&out, values, last, several);
	while (!taskacct_fanout_commit(&out, !--tries))
		taskacct_fanout_remake(&out);
	taskacct_fanout_send(&out);
}

/* The only thread that its process ever had, or all that is known of it */
static void exit_alone(bool several)
{
	struct taskacct_values values = {};

	if (taskacct_heard_here()) {
		taskacct_uid_note_values(&values, true);
		tell(&values, taskacct_tgid_is_only(), several);
	} else {
		taskacct_uid_note();
	}
}

/* Returns false if current is the last thread, and that is yet to be told */
static bool tell_of_thread(struct taskacct_group *group,
			   const struct taskacct_values *values)
{
	unsigned int tries = TRIES;
	struct taskacct_fanout out;
	bool last, sent;

	taskacct_fanout_make(&out, values, false, true);
	for (;;) {
		last = taskacct_tgid_lock(group);
		sent = !last && taskacct_fanout_commit(&out, !--tries);
		taskacct_tgid_unlock(group, sent);
		if (sent || last)
			break;
		taskacct_fanout_remake(&out);
	}
	if (sent)
		taskacct_fanout_send(&out);
	else
		taskacct_fanout_drop(&out);
	return sent;
}

/* Returns false if current is the last thread */
static bool leave(struct taskacct_group *group)
{
	const bool last = taskacct_tgid_lock(group);

	taskacct_tgid_unlock(group, !last);
	return !last;
}

static void exit_in_group(struct taskacct_group *group)
{
	const bool wanted = is_wanted(true);
	struct taskacct_values values = {};
	bool turn;

	turn = taskacct_tgid_add(group, &values, wanted);
	if (!wanted && !turn)
		return;
	if (!turn || !taskacct_tgid_finish(group))
		if (wanted ? tell_of_thread(group, &values) : leave(group))
			return;
	taskacct_tgid_end(group, &values);
	/*
	 * That nobody wants the process is certain only now: threads that were
	 * alive, or had no status yet, can have been noted before this one.
	 */
	if (wanted || is_wanted(true))
		tell(&values, true, true);
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
		taskacct_wanted_miss(several);
		taskacct_uid_note();
	}
}
