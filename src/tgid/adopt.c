// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: threads that exit while the hook is attached
 *
 * A thread that begins to exit after the hook was attached calls it. Of the threads that
 * began before, it cannot be seen which have passed the hook. Where ends are seen that does
 * not matter: all of them are listed, and note themselves at their end. Those that had
 * passed their end before they were listed are dead after a grace period of Tasks RCU;
 * then the loading task notes all dead threads.
 *
 * Where ends are not seen, the loading task waits for these threads, but not for long, and
 * notes in their stead those that have not come. So when queries are possible, every
 * exiting thread of a process of several is either noted or still before a hook.
 *
 * Of a process whose group begins meanwhile threads may have been released unseen
 * before we looked. What the kernel keeps of them is added in the end; what it does
 * not keep is not known, and TASKACCT_FLAG_OTHERS_LATE says so. Where a thread that
 * was noted in its stead may have gone on for a little, or threads end too fast for
 * it to be added up, TASKACCT_FLAG_OTHERS_LOST says that any sum may lack some.
 */

#include <linux/jiffies.h>
#include <linux/llist.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "base/base.h"

#include "group.h"

/* How many threads are waited for; others are noted as late */
#define WAIT_FOR	1024

/* How often they are checked, and how many ms between */
#define WAIT_TIMES	100
#define WAIT_MS		10

/* How often a process is added up whose threads keep exiting */
#define COMPLETE_TRIES	3

/**
 * struct waiting - threads that may be before or behind the hook's place
 * @n: how many
 * @threads: the threads, referenced
 */
struct waiting {
	unsigned int n;
	struct task_struct *threads[WAIT_FOR];
};

/*
 * Passes the turn on for a thread that was noted in its stead. If no thread is left, one
 * that has not reached its end ends the process; otherwise it is ended here.
 */
static void go_on_for(struct taskacct_group *group)
{
	bool ended;

	taskacct_tgid_finish(group);
	raw_spin_lock(&group->lock);
	ended = group->complete && !group->unsent && !group->dead.ended;
	raw_spin_unlock(&group->lock);
	if (ended)
		taskacct_tgid_end(group);
}

/*
 * Notes a thread in its stead. A thread that is not released now was not released when the
 * group began, and is not in the sum that it began with. Returns true if the entry was
 * used.
 */
static bool note_for(struct taskacct_group *group, struct task_struct *t,
		     struct taskacct_exited *exited, bool *turn)
{
	struct taskacct_values *values = &exited->values;
	bool used = false;

	raw_spin_lock(&group->lock);
	if (!taskacct_exited_find(t) && !taskacct_was_released(t)) {
		*turn = taskacct_tgid_take_turn(group, t);
		write_seqcount_begin(&group->seq);
		taskacct_tgid_list(group, t, exited);
		*values = (struct taskacct_values){};
		taskacct_fill_add_task(values, t);
		if (!READ_ONCE(t->exit_state))
			values->flags |= TASKACCT_FLAG_OTHERS_LATE |
					 TASKACCT_FLAG_OTHERS_LOST;
		taskacct_tgid_note(group, exited);
		write_seqcount_end(&group->seq);
		taskacct_tgid_put(group);
		used = true;
	}
	raw_spin_unlock(&group->lock);
	return used;
}

/* Returns true if the entry was used */
static bool list_for(struct taskacct_group *group, struct task_struct *t,
		     struct taskacct_exited *exited, bool *turn)
{
	bool used = false;

	raw_spin_lock(&group->lock);
	if (!taskacct_exited_find(t) && !taskacct_was_released(t)) {
		*turn = taskacct_tgid_take_turn(group, t);
		WRITE_ONCE(group->unsent, group->unsent + 1);
		write_seqcount_begin(&group->seq);
		taskacct_tgid_list(group, t, exited);
		write_seqcount_end(&group->seq);
		used = true;
	}
	raw_spin_unlock(&group->lock);
	return used;
}

/* A thread that is not dead notes itself at its end. */
static void adopt_to_end(struct taskacct_group *group, struct task_struct *t,
			 struct taskacct_exited *exited)
{
	bool turn = false;

	if (!list_for(group, t, exited, &turn))
		taskacct_exited_free(exited);
	else if (turn)
		taskacct_tgid_finish(group);
}

static void lose_some(struct taskacct_group *group)
{
	raw_spin_lock(&group->lock);
	write_seqcount_begin(&group->seq);
	group->dead.values.flags |= TASKACCT_FLAG_OTHERS_LOST;
	write_seqcount_end(&group->seq);
	raw_spin_unlock(&group->lock);
}

static noinline void adopt_thread(struct task_struct *t)
{
	struct taskacct_group *group = taskacct_tgid_get(t->signal);
	struct taskacct_exited *exited;
	bool turn = false;

	if (!group)
		return;
	exited = taskacct_exited_alloc();
	if (!exited) {
		lose_some(group);
		return;
	}
	if (taskacct_fill_sees_ends)
		adopt_to_end(group, t, exited);
	else if (!note_for(group, t, exited, &turn))
		taskacct_exited_free(exited);
	else if (turn)
		go_on_for(group);
}

/**
 * taskacct_tgid_note_dead() - note a thread that was not seen at its end
 * @exited: its entry; the thread is dead, and not freed
 *
 * Where it was the last one its process ends with that, and is not reported.
 *
 * Context: task context; under rcu_read_lock(), if the entry was found in it.
 */
void taskacct_tgid_note_dead(struct taskacct_exited *exited)
{
	struct taskacct_group *group = exited->group;
	bool noted = false, ended = false;

	rcu_read_lock();
	/*
	 * The group stays for this section where it is not noted by now:
	 * sum-before-number.
	 */
	if (!smp_load_acquire(&exited->nr)) {
		raw_spin_lock(&group->lock);
		noted = !exited->nr;
		if (noted) {
			write_seqcount_begin(&group->seq);
			exited->values = (struct taskacct_values){};
			taskacct_fill_add_task(&exited->values, exited->task);
			taskacct_tgid_note(group, exited);
			write_seqcount_end(&group->seq);
			WRITE_ONCE(group->unsent, group->unsent - 1);
			ended = !group->unsent && group->complete;
		}
		raw_spin_unlock(&group->lock);
	}
	if (ended)
		taskacct_tgid_end(group);
	if (noted)
		taskacct_tgid_put(group);
	rcu_read_unlock();
}

/*
 * Threads whose end was not seen, since its hook was being attached or detached. They are
 * noted when they are freed, and their entries stay for another grace period.
 */
static LLIST_HEAD(unseen);

static void free_unseen(struct rcu_head *rcu)
{
	struct taskacct_exited *exited = container_of(rcu, struct taskacct_exited, rcu);

	put_task_struct(exited->task);
	taskacct_exited_put(exited);
}

static void note_unseen(struct work_struct *work)
{
	struct taskacct_exited *exited, *next;

	llist_for_each_entry_safe(exited, next, llist_del_all(&unseen), spare) {
		taskacct_tgid_note_dead(exited);
		call_rcu(&exited->rcu, free_unseen);
	}
}

static DECLARE_WORK(unseen_work, note_unseen);

/* The lock of a group cannot be taken here: a worker does it. */
static void queue_unseen(struct rcu_head *rcu)
{
	struct taskacct_exited *exited = container_of(rcu, struct taskacct_exited, rcu);

	if (llist_add(&exited->spare, &unseen))
		schedule_work(&unseen_work);
}

/**
 * taskacct_tgid_note_later() - note a thread that was not seen at its end
 * @exited: its entry, removed; the thread is about to be freed
 *
 * Context: any but NMI.
 */
void taskacct_tgid_note_later(struct taskacct_exited *exited)
{
	get_task_struct(exited->task);
	call_rcu(&exited->rcu, queue_unseen);
}

/**
 * taskacct_tgid_adopt_exit() - wait until all those are noted
 *
 * Context: task context, may sleep; no hook is running or will run.
 */
void taskacct_tgid_adopt_exit(void)
{
	/* Those that are on their way back, and then those that were noted for it */
	rcu_barrier();
	flush_work(&unseen_work);
	rcu_barrier();
}

static void note_if_dead(struct taskacct_group *group)
{
	unsigned int left = READ_ONCE(group->nr_ending);
	struct taskacct_exited *exited;

	list_for_each_entry_rcu(exited, &group->ending, ending) {
		if (!left--)
			break;
		if (taskacct_is_dead(exited->task))
			taskacct_tgid_note_dead(exited);
	}
}

static bool is_to_be_noted(const struct task_struct *t)
{
	return (READ_ONCE(t->flags) & PF_EXITING) &&
	       READ_ONCE(t->signal->nr_threads) > 1 && !taskacct_exited_find(t);
}

static void look_at(struct task_struct *t, void *data)
{
	struct waiting *waiting = data;

	if (!is_to_be_noted(t))
		return;
	if (taskacct_tgid_passed(t) || waiting->n == WAIT_FOR)
		adopt_thread(t);
	else
		waiting->threads[waiting->n++] = get_task_struct(t);
}

/* Returns how many are left. Released threads need nothing. */
static unsigned int look_again(struct waiting *waiting, bool wait)
{
	struct task_struct *t;
	unsigned int i, n = 0;

	for (i = 0; i < waiting->n; i++) {
		t = waiting->threads[i];
		rcu_read_lock();
		if (!taskacct_was_released(t) && is_to_be_noted(t)) {
			if (wait && !taskacct_tgid_passed(t)) {
				waiting->threads[n++] = t;
				t = NULL;
			} else {
				adopt_thread(t);
			}
		}
		rcu_read_unlock();
		if (t)
			put_task_struct(t);
		cond_resched();
	}
	waiting->n = n;
	return n;
}

/* Released threads that will note themselves are not in the sum of the group yet. */
static void subtract_ending(struct taskacct_values *sum,
			    const struct taskacct_group *group)
{
	unsigned int left = READ_ONCE(group->nr_ending);
	const struct taskacct_exited *exited;
	struct taskacct_values one;

	list_for_each_entry_rcu(exited, &group->ending, ending) {
		if (!left--)
			break;
		if (!taskacct_was_released(exited->task))
			continue;
		one = (struct taskacct_values){};
		taskacct_fill_add_task(&one, exited->task);
		taskacct_fill_subtract(sum, &one);
	}
}

/*
 * What the kernel has of all threads of a process that are in the group's sum, or have
 * been released unseen: of the released ones, and of the others.
 * One that is just being released, which on PREEMPT_RT can be preempted, is not
 * taken for both. Returns whether none was released meanwhile.
 */
static bool read_passed(struct task_struct *leader,
			const struct taskacct_group *group,
			struct taskacct_values *sum)
{
	unsigned int left = taskacct_tgid_most_threads(leader->signal);
	const u64 released = taskacct_fill_released(leader->signal);
	const struct taskacct_exited *exited;
	struct task_struct *t;

	if (!taskacct_tgid_read_released(sum, leader->signal))
		return false;
	for_each_thread(leader, t) {
		if (!left--)
			break;
		exited = taskacct_exited_of(t);
		if (exited && READ_ONCE(exited->nr))
			taskacct_fill_add_task(sum, t);
	}
	subtract_ending(sum, group);
	return released == taskacct_fill_released(leader->signal);
}

/* A thread that nobody has seen is missing in what the kernel keeps of it, too. */
static u64 max_of(u64 to, u64 from)
{
	/* Who goes on after its release may have more than the kernel has kept. */
	return (s64)(from - to) > 0 ? from : to;
}

#define RAISE(number, name, member, ...)	to->member = max_of(to->member, from->member);

static void raise_usage(struct taskacct_usage *to, const struct taskacct_usage *from)
{
	TASKACCT_USER_SUMS(RAISE)
}

/*
 * Adds to a group what it lacks of threads that were released unseen. What has been
 * noted since it was read would make up for them: then it is read again.
 */
static bool try_complete(struct taskacct_group *group,
			 struct task_struct *leader)
{
	const unsigned int seq = read_seqcount_begin(&group->seq);
	struct taskacct_values sum;
	bool done;

	if (!read_passed(leader, group, &sum))
		return false;
	raw_spin_lock(&group->lock);
	done = !read_seqcount_retry(&group->seq, seq);
	if (done) {
		write_seqcount_begin(&group->seq);
		raise_usage(&group->dead.values.usage, &sum.usage);
		write_seqcount_end(&group->seq);
	}
	raw_spin_unlock(&group->lock);
	return done;
}

static noinline void complete_group(struct taskacct_group *group,
				    struct task_struct *leader)
{
	unsigned int tries = COMPLETE_TRIES;

	while (tries--)
		if (try_complete(group, leader))
			return;
	lose_some(group);
}

/* Of each process its leader is met, alive or not. */
static void complete_process(struct task_struct *t, void *unused)
{
	struct taskacct_group *group;

	if (READ_ONCE(t->exit_signal) < 0)
		return;
	group = taskacct_tgid_find(t->signal);
	if (group)
		complete_group(group, t);
}

static void adopt_exiting(struct task_struct *t, void *unused)
{
	if (is_to_be_noted(t))
		adopt_thread(t);
}

/* Returns 0, or -EINTR if the loading task is killed */
static int find_all(void)
{
	int err = taskacct_tasks_visit(adopt_exiting, NULL);

	if (err)
		return err;
	synchronize_rcu_tasks();
	taskacct_tgid_visit(note_if_dead);
	return 0;
}

/* As find_all(), where ends are not seen; or -ENOMEM */
static int wait_for_all(void)
{
	struct waiting *waiting = kvmalloc(sizeof(*waiting), GFP_KERNEL);
	unsigned int tries = WAIT_TIMES;
	int err;

	if (!waiting)
		return -ENOMEM;
	waiting->n = 0;
	err = taskacct_tasks_visit(look_at, waiting);
	while (look_again(waiting, !err) && --tries)
		if (schedule_timeout_killable(msecs_to_jiffies(WAIT_MS)))
			err = fatal_signal_pending(current) ? -EINTR : err;
	look_again(waiting, false);
	kvfree(waiting);
	return err;
}

/**
 * taskacct_tgid_adopt() - note those that had begun to exit before the hook
 *
 * Context: task context, may sleep for a second; the hook is attached, and
 *	nobody can ask or listen yet.
 * Return: 0, -ENOMEM, or -EINTR if the loading task is killed.
 */
int taskacct_tgid_adopt(void)
{
	int err = taskacct_fill_sees_ends ? find_all() : wait_for_all();

	if (!err)
		err = taskacct_tasks_visit(complete_process, NULL);
	WRITE_ONCE(taskacct_tgid_loading, false);
	return err;
}
