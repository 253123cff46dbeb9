// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which task is meant, and what it has used
 *
 * Queries run in the context of the socket's user: pids and uids are those of
 * its namespaces.
 */

#include <linux/acct.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "record/record.h"
#include "task/task.h"
#include "tgid/tgid.h"

#include "answer.h"
#include "query.h"

/* So often a process may get another leader, by an exec, while it is looked at. */
#define LEADERS	8

/* Returns the task, or the leader of the process, referenced, or NULL */
static struct task_struct *get_task(u32 id, enum pid_type type,
				    const struct taskacct_view *view)
{
	struct task_struct *t;

	rcu_read_lock();
	t = pid_task(find_pid_ns(id, view->pid_ns), type);
	if (t)
		get_task_struct(t);
	rcu_read_unlock();
	return t;
}

/*
 * Who knows that a task has ended may ask about it at once: it is at its end in
 * a few microseconds, but for who takes the CPU from it.
 */
#define END_TRIES	20
#define END_US		50

static bool is_at_end(struct task_struct *t, bool process)
{
	bool ending;

	if (!READ_ONCE(t->exit_state))
		return true;
	if (!taskacct_is_dead(t))
		return false;
	if (!process)
		return true;
	rcu_read_lock();
	ending = taskacct_tgid_is_ending(t->signal);
	rcu_read_unlock();
	return !ending;
}

/* Returns whether it is at its end, or alive */
static bool await_end(struct task_struct *t, bool process)
{
	unsigned int tries = END_TRIES;

	while (!is_at_end(t, process)) {
		if (!tries-- || fatal_signal_pending(current))
			return false;
		usleep_range(END_US, 2 * END_US);
	}
	return true;
}

/* Makes sure that the task stays what it is while a limited asker looks at it */
static int lock_task(struct taskacct_answer *answer,
		     struct taskacct_access *access)
{
	int err;

	if (!taskacct_access_is_limited(access))
		return 0;
	err = taskacct_access_lock(access, answer->task);
	answer->locked = !err;
	return err;
}

/* One that was released meanwhile, or is not the leader any more, has no number. */
static int check_access(const struct taskacct_answer *answer,
			const struct taskacct_access *access)
{
	if (taskacct_access_has(access, answer->task, answer->mm))
		return 0;
	return taskacct_was_released(answer->task) ? -ESRCH : -EPERM;
}

/* Kernel threads may borrow one. */
static bool has_mm(const struct task_struct *t)
{
	return READ_ONCE(t->mm) && !(READ_ONCE(t->flags) & PF_KTHREAD);
}

/* @past: what it tells of the past is read, too; else it is known already. */
static void read_mm(struct taskacct_answer *answer, bool past)
{
	if (answer->extended)
		taskacct_memory_read(&answer->memory, answer->mm);
	if (past)
		taskacct_fill_mm(&answer->total.values.mm, answer->mm,
				 answer->extended ? &answer->memory : NULL);
}

/* There may be none any more. */
static void add_mm(struct taskacct_answer *answer)
{
	struct taskacct_mm *values = &answer->total.values.mm;

	answer->mm = has_mm(answer->task) ? get_task_mm(answer->task) : NULL;
	if (answer->mm)
		read_mm(answer, true);
	else
		*values = (struct taskacct_mm){};
}

/**
 * taskacct_query_found_task() - read what one task has used
 * @answer: receives it, for taskacct_query_done(). Nothing of what was in it is used but
 *	@extended
 * @pid: id of the task
 * @t: the task, whose reference is consumed
 * @access: the asker's
 * @now: what time it is, or was when the task had been found
 *
 * Context: the request's task, may sleep.
 * Return: 0, -ESRCH if it is gone, -EPERM if it is out of access, -EBUSY if it
 *	cannot be looked into, or -EINTR if the asker is killed.
 */
int taskacct_query_found_task(struct taskacct_answer *answer, u32 pid,
			      struct task_struct *t,
			      struct taskacct_access *access,
			      const struct taskacct_moment *now)
{
	struct taskacct_values *values = &answer->total.values;
	int err;

	answer->kind = TASKACCT_KIND_TASK;
	answer->id = pid;
	answer->task = t;
	answer->mm = NULL;
	answer->ending = false;
	answer->locked = false;
	answer->total.ended = false;
	values->until = *now;
	err = lock_task(answer, access);
	if (err)
		goto err_access;
	taskacct_fill_of_task(values, answer->task);
	add_mm(answer);
	err = check_access(answer, access);
	if (err)
		goto err_access;
	return 0;

err_access:
	taskacct_query_done(answer);
	return err;
}

/**
 * taskacct_query_task() - find one task and what it has used
 * @answer: has @extended; receives it, for taskacct_query_done(), where 0 is returned
 * @pid: id of the task
 * @access: the asker's; in whose pid namespace
 *
 * Context: the request's task, may sleep.
 * Return: 0, -ESRCH if there is no such task, -EPERM if it is out of access,
 *	-EBUSY if it cannot be looked into, or -EINTR if the asker is killed.
 */
int taskacct_query_task(struct taskacct_answer *answer, u32 pid,
			struct taskacct_access *access)
{
	struct task_struct *t = get_task(pid, PIDTYPE_PID, &access->view);
	struct taskacct_moment now;
	bool ending;
	int err;

	if (!t)
		return -ESRCH;
	ending = !await_end(t, false);
	taskacct_fill_now(&now);
	err = taskacct_query_found_task(answer, pid, t, access, &now);
	answer->ending = ending;
	return err;
}

/*
 * Threads leave the address space one by one; as long as one is there, so is
 * what it tells. One that begins later is behind the one that began it.
 */
static struct mm_struct *get_mm_of_process(struct task_struct *leader)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;

	rcu_read_lock();
	for_each_thread(leader, t) {
		if (has_mm(t))
			mm = get_task_mm(t);
		if (mm)
			break;
	}
	rcu_read_unlock();
	return mm;
}

/* A leader that can still be found is not freed, nor is its process's total. */
static bool leads(const struct taskacct_answer *answer,
		  const struct taskacct_view *view)
{
	return pid_task(find_pid_ns(answer->id, view->pid_ns),
			PIDTYPE_TGID) == answer->task;
}

/* Returns 0, -ESRCH if the process is gone or led by another thread, or -ENOMEM */
static int add_up_exactly(struct taskacct_answer *answer,
			  const struct taskacct_view *view)
{
	struct taskacct_tgid_room *room = taskacct_tgid_room_alloc(answer->task);
	bool found;

	if (!room)
		return -ENOMEM;
	rcu_read_lock();
	found = leads(answer, view);
	if (found)
		taskacct_tgid_total_exactly(answer->task, &answer->total, room);
	rcu_read_unlock();
	taskacct_tgid_room_free(room);
	return found ? 0 : -ESRCH;
}

static int add_up(struct taskacct_answer *answer,
		  const struct taskacct_view *view)
{
	bool found, done = false;

	rcu_read_lock();
	found = leads(answer, view);
	if (found)
		done = taskacct_tgid_total(answer->task, &answer->total);
	rcu_read_unlock();
	if (!found)
		return -ESRCH;
	return done ? 0 : add_up_exactly(answer, view);
}

/* The thread list is walked three times at most. Returns as add_up_exactly(). */
static int get_total(struct taskacct_answer *answer,
		     const struct taskacct_view *view)
{
	int err;

	/* The last thread leaves a total behind before its address space. */
	answer->mm = get_mm_of_process(answer->task);
	err = add_up(answer, view);
	if (!err && answer->mm)
		read_mm(answer, !answer->total.ended);
	return err;
}

/* Consumes nothing: what was found is for taskacct_query_done(). */
static int look_at_process(struct taskacct_answer *answer,
			   struct taskacct_access *access)
{
	int err = lock_task(answer, access);

	if (!err) {
		answer->ending = !await_end(answer->task, true);
		err = get_total(answer, &access->view);
	}
	return err ?: check_access(answer, access);
}

/**
 * taskacct_query_process() - find a process and what it has used
 * @answer: zeroed but for @extended; receives it, for taskacct_query_done()
 * @tgid: id of the process
 * @access: the asker's; in whose pid namespace
 *
 * Context: the request's task, may sleep.
 * Return: 0; -ESRCH if there is no such process: the id of a thread that is
 *	not its process's leader is not the id of a process; -EPERM if it is out
 *	of access, -EBUSY if it cannot be looked into or gets one leader after the
 *	other, -ENOMEM if threads exit and there is no memory, or -EINTR if the
 *	asker is killed.
 */
int taskacct_query_process(struct taskacct_answer *answer, u32 tgid,
			   struct taskacct_access *access)
{
	unsigned int tries = LEADERS;
	int err;

	might_sleep();
	answer->kind = TASKACCT_KIND_PROCESS;
	answer->id = tgid;
	do {
		answer->task = get_task(tgid, PIDTYPE_TGID, &access->view);
		if (!answer->task)
			return -ESRCH;
		err = look_at_process(answer, access);
		if (!err)
			return 0;
		taskacct_query_done(answer);
	} while (err == -ESRCH && --tries);
	return err == -ESRCH ? -EBUSY : err;
}

static noinline void fill_classic(struct taskstats *stats,
				  const struct taskacct_answer *answer,
				  const struct taskacct_view *view)
{
	const struct taskacct_values *values = &answer->total.values;

	taskacct_fill_identity(stats, answer->task, view, values);
	taskacct_fill_values(stats, values);
	/* The number that it was found by: execve() and release change it. */
	stats->ac_pid = answer->id;
	if (answer->kind == TASKACCT_KIND_TASK)
		return;
	taskacct_fill_process(stats, answer->task);
	taskacct_put_group(stats, answer->id, stats->ac_etime);
	if (answer->total.ended)
		stats->ac_flag |= AGROUP;
}

static void fill_record(struct taskacct_full_record *full,
			const struct taskacct_answer *answer,
			const struct taskacct_view *view)
{
	const struct taskacct_memory *in_memory = answer->mm ? &answer->memory : NULL;
	struct taskacct_record *record = &full->record;

	if (answer->kind == TASKACCT_KIND_TASK) {
		taskacct_record_fill_task(record, answer->task,
					  &answer->total.values, in_memory,
					  view, false);
	} else {
		taskacct_record_fill_process(record, answer->task,
					     &answer->total, in_memory, view);
		record->tgid = answer->id;
	}
	taskacct_record_fill_waits(full->waits, &answer->total.values);
	record->pid = answer->id;
	if (answer->ending)
		record->flags |= TASKACCT_RECORD_ENDING;
}

/**
 * taskacct_query_fill() - write an answer into a message
 * @answer: the answer
 * @message: the message, shaped for it
 * @view: whose ids to use, as it was found by
 */
void taskacct_query_fill(const struct taskacct_answer *answer,
			 const struct taskacct_message *message,
			 const struct taskacct_view *view)
{
	const bool task = answer->kind == TASKACCT_KIND_TASK;
	struct taskacct_full_record *record = task ? message->task_record :
						     message->process_record;
	struct taskstats *stats = task ? message->task : message->process;

	if (stats)
		fill_classic(stats, answer, view);
	if (record)
		fill_record(record, answer, view);
}

/**
 * taskacct_query_done() - let go of what was found
 * @answer: from taskacct_query_task() or taskacct_query_process()
 *
 * Context: task context, may sleep: the references may be the last.
 */
void taskacct_query_done(struct taskacct_answer *answer)
{
	if (answer->locked) {
		taskacct_access_unlock(answer->task);
		answer->locked = false;
	}
	/* What becomes of the last one's files and requests is not waited for. */
	if (answer->mm)
		mmput_async(answer->mm);
	answer->mm = NULL;
	if (answer->task)
		put_task_struct(answer->task);
}
