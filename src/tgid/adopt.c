// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: threads that exit while the hook is attached
 *
 * Whoever begins to exit once the hook is there comes to it. Of those that had
 * begun before, some have passed the place of the hook and some have not, and of
 * a thread that is near it, it cannot be seen which. Where ends are seen that does not
 * matter: all are marked, and note themselves at their end. Those that had come to it
 * before they were marked are dead after a grace period of Tasks RCU: then the loading
 * task notes all that are dead.
 *
 * Where ends are not seen, all of them are waited for, but not for long, and all that
 * have not come are noted by the loading task in their stead. So when anybody can ask,
 * every exiting thread of a process of several is either noted or on its way to a hook.
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

/* Threads that are waited for; of more it is said that they are late. */
#define WAIT_FOR	1024

/* How often it is looked whether they have come, and how many ms between */
#define WAIT_TIMES	100
#define WAIT_MS		10

/* How often a process is added up of which threads exit all the time */
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
 * It was its turn: another's, or all have begun to exit. Whoever of these is not at its
 * end yet ends the process, or else it has ended.
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
 * One that is not released now was not when the group began, and is not in what
 * it began with. Returns true if the mark was used.
 */
static bool note_for(struct taskacct_group *group, struct task_struct *t,
		     struct taskacct_mark *mark, bool *turn)
{
	struct taskacct_values *values = &mark->values;
	bool used = false;

	raw_spin_lock(&group->lock);
	if (!taskacct_mark_find(t) && !taskacct_was_released(t)) {
		*turn = taskacct_tgid_take_turn(group, t);
		write_seqcount_begin(&group->seq);
		taskacct_tgid_mark(group, t, mark);
		*values = (struct taskacct_values){};
		taskacct_fill_add_task(values, t);
		if (!READ_ONCE(t->exit_state))
			values->flags |= TASKACCT_FLAG_OTHERS_LATE |
					 TASKACCT_FLAG_OTHERS_LOST;
		taskacct_tgid_note(group, mark);
		write_seqcount_end(&group->seq);
		taskacct_tgid_put(group);
		used = true;
	}
	raw_spin_unlock(&group->lock);
	return used;
}

/* Returns true if the mark was used */
static bool mark_for(struct taskacct_group *group, struct task_struct *t,
		     struct taskacct_mark *mark, bool *turn)
{
	bool used = false;

	raw_spin_lock(&group->lock);
	if (!taskacct_mark_find(t) && !taskacct_was_released(t)) {
		*turn = taskacct_tgid_take_turn(group, t);
		group->unsent++;
		write_seqcount_begin(&group->seq);
		taskacct_tgid_mark(group, t, mark);
		write_seqcount_end(&group->seq);
		used = true;
	}
	raw_spin_unlock(&group->lock);
	return used;
}

/* One that is not dead comes to its end, and is noted there. */
static void adopt_to_end(struct taskacct_group *group, struct task_struct *t,
			 struct taskacct_mark *mark)
{
	bool turn = false;

	if (!mark_for(group, t, mark, &turn))
		taskacct_mark_free(mark);
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

static noinline void adopt(struct task_struct *t)
{
	struct taskacct_group *group = taskacct_tgid_get(t->signal);
	struct taskacct_mark *mark;
	bool turn = false;

	if (!group)
		return;
	mark = taskacct_mark_alloc();
	if (!mark) {
		lose_some(group);
		return;
	}
	if (taskacct_fill_sees_ends)
		adopt_to_end(group, t, mark);
	else if (!note_for(group, t, mark, &turn))
		taskacct_mark_free(mark);
	else if (turn)
		go_on_for(group);
}

/**
 * taskacct_tgid_note_dead() - note a thread that was not seen at its end
 * @mark: its mark; the thread is dead, and not freed
 *
 * Where it was the last one its process ends with that, and is not told.
 *
 * Context: task context; under rcu_read_lock(), if the mark was found in it.
 */
void taskacct_tgid_note_dead(struct taskacct_mark *mark)
{
	struct taskacct_group *group = mark->group;
	bool noted = false, ended = false;

	rcu_read_lock();
	/* The group stays for this section where it is not noted by now. */
	if (!smp_load_acquire(&mark->nr)) {
		raw_spin_lock(&group->lock);
		noted = !mark->nr;
		if (noted) {
			write_seqcount_begin(&group->seq);
			mark->values = (struct taskacct_values){};
			taskacct_fill_add_task(&mark->values, mark->task);
			taskacct_tgid_note(group, mark);
			write_seqcount_end(&group->seq);
			ended = --group->unsent == 0 && group->complete;
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
 * Threads that nobody saw at their end: the hook there came or went just then. They are
 * noted once they are freed, and stay until nobody reads them any more.
 */
static LLIST_HEAD(unseen);

static void free_unseen(struct rcu_head *rcu)
{
	struct taskacct_mark *mark = container_of(rcu, struct taskacct_mark, rcu);

	put_task_struct(mark->task);
	taskacct_mark_put(mark);
}

static void note_unseen(struct work_struct *work)
{
	struct taskacct_mark *mark, *next;

	llist_for_each_entry_safe(mark, next, llist_del_all(&unseen), spare) {
		taskacct_tgid_note_dead(mark);
		call_rcu(&mark->rcu, free_unseen);
	}
}

static DECLARE_WORK(unseen_work, note_unseen);

/* Here no lock of a group can be taken. */
static void queue_unseen(struct rcu_head *rcu)
{
	struct taskacct_mark *mark = container_of(rcu, struct taskacct_mark, rcu);

	if (llist_add(&mark->spare, &unseen))
		schedule_work(&unseen_work);
}

/**
 * taskacct_tgid_note_later() - note a thread that was not seen at its end
 * @mark: its mark, removed; the thread is about to be freed
 *
 * Context: any but NMI.
 */
void taskacct_tgid_note_later(struct taskacct_mark *mark)
{
	get_task_struct(mark->task);
	call_rcu(&mark->rcu, queue_unseen);
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
	struct taskacct_mark *mark;

	list_for_each_entry_rcu(mark, &group->ending, ending) {
		if (!left--)
			break;
		if (taskacct_is_dead(mark->task))
			taskacct_tgid_note_dead(mark);
	}
}

static bool is_to_be_noted(const struct task_struct *t)
{
	return (READ_ONCE(t->flags) & PF_EXITING) &&
	       READ_ONCE(t->signal->nr_threads) > 1 && !taskacct_mark_find(t);
}

static void look_at(struct task_struct *t, void *data)
{
	struct waiting *waiting = data;

	if (!is_to_be_noted(t))
		return;
	if (taskacct_tgid_passed(t) || waiting->n == WAIT_FOR)
		adopt(t);
	else
		waiting->threads[waiting->n++] = get_task_struct(t);
}

/* Returns how many are left; of those that were released nothing is to be done. */
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
				adopt(t);
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

/* Those that were released and will note themselves are not in the group's sum. */
static void subtract_ending(struct taskacct_values *sum,
			    const struct taskacct_group *group)
{
	unsigned int left = READ_ONCE(group->nr_ending);
	const struct taskacct_mark *mark;
	struct taskacct_values one;

	list_for_each_entry_rcu(mark, &group->ending, ending) {
		if (!left--)
			break;
		if (!taskacct_was_released(mark->task))
			continue;
		one = (struct taskacct_values){};
		taskacct_fill_add_task(&one, mark->task);
		taskacct_fill_subtract(sum, &one.usage);
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
	const struct taskacct_mark *mark;
	struct task_struct *t;

	if (!taskacct_tgid_read_released(sum, leader->signal))
		return false;
	for_each_thread(leader, t) {
		if (!left--)
			break;
		mark = taskacct_mark_of(t);
		if (mark && READ_ONCE(mark->nr))
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

#define RAISE(name, member, ...)	to->member = max_of(to->member, from->member);

static void raise(struct taskacct_usage *to, const struct taskacct_usage *from)
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
		raise(&group->dead.values.usage, &sum.usage);
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

static void find(struct task_struct *t, void *unused)
{
	if (is_to_be_noted(t))
		adopt(t);
}

/* Returns 0, or -EINTR if the loading task is killed */
static int find_all(void)
{
	int err = taskacct_tasks_visit(find, NULL);

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
