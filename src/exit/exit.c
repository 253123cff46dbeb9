// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pipeline: what happens when a task exits
 *
 * It is seen at two places. At the first, the exit, its address space and its numbers
 * are still there: what these tell is kept, if somebody wants to hear of it. At the
 * second, its end, what it used and waited for stands: it is counted, and told. Where
 * the second cannot be seen both are done at the first.
 */

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "base/base.h"
#include "listen/listen.h"
#include "task/task.h"
#include "tgid/tgid.h"
#include "uid/uid.h"

#include "defer.h"
#include "exit.h"
#include "fanout.h"
#include "keep.h"

/* Attempts to send messages while it changes who hears the CPU */
#define TRIES	3

static bool is_wanted(bool several)
{
	return taskacct_heard_here() && taskacct_wanted(several, NULL);
}

static void tell(const struct taskacct_values *values,
		 struct taskacct_group *group, bool last, bool several)
{
	struct taskacct_fanout out;
	unsigned int tries = TRIES;

	rcu_read_lock();
	taskacct_fanout_make(&out, values, group, last, several);
	while (!taskacct_fanout_commit(&out, !--tries))
		taskacct_fanout_remake(&out);
	taskacct_fanout_send(&out);
	rcu_read_unlock();
}

/* The only thread that its process ever had, or all that is known of it */
static void end_alone(struct taskacct_kept *kept)
{
	struct taskacct_values values = { .kept = kept };
	const bool several = kept ? kept->several :
				    taskacct_fill_has_released(current->signal);

	if (taskacct_heard_here()) {
		taskacct_uid_note_values(&values, true);
		tell(&values, NULL, kept ? kept->last :
		     !atomic_read(&current->signal->live), several);
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

	rcu_read_lock();
	taskacct_fanout_make(&out, values, group, false, true);
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
	rcu_read_unlock();
	return sent;
}

/* Returns false if current is the last thread */
static bool leave(struct taskacct_group *group)
{
	const bool last = taskacct_tgid_lock(group);

	taskacct_tgid_unlock(group, !last);
	return !last;
}

/* Returns what is to be freed of what was kept */
static struct taskacct_kept *end_in_group(struct taskacct_group *group,
					  struct taskacct_mark *mark,
					  struct taskacct_values *values,
					  struct taskacct_kept *kept)
{
	/* Stays as long as the group, whose it may be. */
	struct taskacct_kept *own = kept ? taskacct_tgid_keep(group, kept) : NULL;
	const bool wanted = kept || is_wanted(true);

	if (kept && taskacct_tgid_is_last(group))
		taskacct_keep_expect_last(kept);
	if (taskacct_tgid_add(group, mark, values, kept, wanted))
		return own;
	if (!taskacct_tgid_is_last(group) &&
	    (wanted ? tell_of_thread(group, values) : leave(group)))
		return own;
	taskacct_tgid_end(group);
	if (!kept)
		values->kept = taskacct_tgid_kept(group);
	/*
	 * That nobody wants the process is certain only now: threads that were
	 * alive, or had no status yet, can have been noted before this one.
	 */
	if (wanted || is_wanted(true))
		tell(values, group, true, true);
	taskacct_tgid_told(group);
	return own;
}

/* Of a thread that was marked; noted in its stead, it is the user's alone. */
static struct taskacct_kept *end_marked(struct taskacct_mark *mark,
					struct taskacct_kept *kept)
{
	struct taskacct_group *group = mark->group;

	if (mark->nr) {
		taskacct_uid_note();
		return kept;
	}
	kept = end_in_group(group, mark, &mark->values, kept);
	taskacct_tgid_put(group);
	return kept;
}

/* Of one that may be one for whose mark there was no memory; returns as end_in_group() */
static noinline struct taskacct_kept *end_unmarked(struct taskacct_kept *kept)
{
	struct taskacct_values values;
	struct taskacct_group *group;

	rcu_read_lock();
	group = taskacct_tgid_unmarked();
	if (group)
		kept = end_in_group(group, NULL, &values, kept);
	else
		end_alone(kept);
	rcu_read_unlock();
	return kept;
}

/* Returns false if it is not in a group, or noted before */
static bool note_untold(struct taskacct_mark *mark)
{
	struct taskacct_group *group =
		mark ? mark->group : taskacct_tgid_unmarked();
	struct taskacct_values values;

	if (mark ? mark->nr : !group)
		return false;
	if (!taskacct_tgid_add(group, mark, mark ? &mark->values : &values, NULL,
			       false) &&
	    !leave(group)) {
		taskacct_tgid_end(group);
		taskacct_tgid_told(group);
	}
	if (mark)
		taskacct_tgid_put(group);
	return true;
}

/* What it used is counted; of the rest there is no more than that it was. */
static void end_untold(struct taskacct_mark *mark)
{
	const bool several = mark || !thread_group_empty(current) ||
			     taskacct_fill_has_released(current->signal);
	bool noted;

	rcu_read_lock();
	noted = note_untold(mark);
	rcu_read_unlock();
	if (!noted)
		taskacct_uid_note();
	if (!is_wanted(several))
		return;
	/* It has a number, as all that is lost. */
	taskacct_fanout_next_seq();
	taskacct_wanted_miss(several, NULL);
}

/* It stays until current is freed. */
static struct taskacct_mark *own_mark(void)
{
	struct taskacct_mark *mark;

	/* Costs less than rcu_read_lock(). */
	rcu_read_lock_sched();
	mark = taskacct_mark_find(current);
	rcu_read_unlock_sched();
	return mark;
}

/* Returns what is to be freed of what was kept */
static struct taskacct_kept *end_told(struct taskacct_kept *kept)
{
	struct taskacct_mark *mark = own_mark();

	/* There is no later for it to be put off to. */
	if (unlikely(taskacct_defer_needed())) {
		end_untold(mark);
		return kept;
	}
	if (mark)
		return end_marked(mark, kept);
	if (unlikely(READ_ONCE(taskacct_tgid_some_unmarked)))
		return end_unmarked(kept);
	end_alone(kept);
	return kept;
}

/* Not inlined, so that who is neither wanted nor one of several saves no registers */
static noinline void end_slowly(void)
{
	struct taskacct_kept *kept = taskacct_kept_take();

	if (unlikely(kept && kept->early))
		taskacct_uid_note();
	else
		kept = end_told(kept);
	if (kept)
		taskacct_kept_free(kept);
}

/**
 * taskacct_exit_end() - account for the running task, which is at its end
 *
 * Context: the hook at its end, once for every task; does not sleep, but for the
 *	locks of PREEMPT_RT where the hook allows it.
 */
void taskacct_exit_end(void)
{
	if (likely(!taskacct_kept_may_be() && !taskacct_mark_may_be(current) &&
		   !READ_ONCE(taskacct_tgid_some_unmarked) &&
		   !is_wanted(false)))
		taskacct_uid_note();
	else
		end_slowly();
}

/*
 * What was put off once could not be told at the end, for nothing may sleep there either,
 * as likely as not: it is told as it is. A thread that was noted is known by its mark.
 */
static void tell_early(void)
{
	struct taskacct_kept *kept = taskacct_kept_take();

	if (!kept)
		return;
	kept->early = true;
	kept = end_told(kept);
	if (kept)
		taskacct_kept_put_back(kept);
}

static void begin_in_group(void)
{
	struct taskacct_group *group = taskacct_tgid_enter();
	struct taskacct_kept *kept = NULL;

	if (is_wanted(true) && likely(!own_mark()))
		kept = taskacct_keep_new(true);
	if (group)
		taskacct_tgid_begin(group, kept ? &kept->mm : NULL);
	if (!taskacct_fill_sees_ends)
		taskacct_exit_end();
}

static void begin_alone(void)
{
	taskacct_keep_new(false);
	if (!taskacct_fill_sees_ends)
		taskacct_exit_end();
}

static void begin_later(void)
{
	if (taskacct_tgid_needed())
		begin_in_group();
	else
		begin_alone();
	if (taskacct_fill_sees_ends)
		tell_early();
}

/* Not inlined, for the same reason as end_slowly() */
static noinline void begin(bool several)
{
	taskacct_stat_inc(TASKACCT_STAT_EXITS);
	if (!taskacct_defer_needed()) {
		if (several)
			begin_in_group();
		else
			begin_alone();
	} else if (!taskacct_defer(begin_later)) {
		taskacct_stat_inc(TASKACCT_STAT_GROUP_NOMEM);
		/* At its end it is told, or lost, without what would have been kept. */
		if (taskacct_fill_sees_ends)
			return;
		/* It has a number, as all that is lost. */
		if (taskacct_heard_here())
			taskacct_fanout_next_seq();
		taskacct_wanted_miss(several, NULL);
		taskacct_uid_note();
	}
}

/**
 * taskacct_exit() - the running task exits
 *
 * Context: the exit hook, once for every task; does not sleep, but for the
 *	locks of PREEMPT_RT where the hook allows it.
 */
void taskacct_exit(void)
{
	if (unlikely(taskacct_tgid_needed()))
		begin(true);
	else if (unlikely(is_wanted(false)))
		begin(false);
	else if (!taskacct_fill_sees_ends)
		taskacct_uid_note();
}
