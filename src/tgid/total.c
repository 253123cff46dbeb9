// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process totals: what a query adds up
 *
 * The thread list is walked once, and then the group's list of threads between their
 * exit and their end; the result holds if no thread was listed or noted meanwhile.
 * Otherwise both are walked once more, for a total that holds whatever happens: the
 * walk remembers which threads it has read. Those of them that were noted when the
 * group's sum is read afterwards are in that sum as well, with the values that the
 * entry has, and these are subtracted:
 *
 *   total = the group's sum after the walk
 *	     + what the walk has read of threads that were not noted then
 *	     - what the sum has of the same threads
 *
 * On the thread list those are read that have no entry, and on the other one those that
 * were not read on the first. That is looked up only for who was listed after the walk
 * began.
 *
 * An entry stays as long as its thread, and that as long as the RCU read section in
 * which it was found on a list. No exit waits for a reader or does anything for
 * one, and no reader waits for another.
 */

#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched/signal.h>
#include <linux/seqlock.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "few.h"
#include "group.h"

/*
 * Threads are unlinked one at a time, and no longer counted just before that: a
 * walk goes on for so many more than are counted when it begins.
 */
#define SLACK	64

/**
 * struct taskacct_tgid_room - what is remembered of a walk
 * @one: values of the thread that it is at
 * @size: threads there is room for. Those for whom there is none began after it
 *	was made, and are not missed: the list is in the order of their birth
 * @n: threads that were read
 * @threads: these threads
 */
struct taskacct_tgid_room {
	struct taskacct_values one;
	unsigned int size;
	unsigned int n;
	struct task_struct *threads[];
};

/**
 * taskacct_tgid_most_threads() - how many threads a walk may meet
 * @sig: of the process
 *
 * Those that are on the list when it begins come first; if others begin all the
 * time it does not follow them for ever.
 *
 * Return: their number.
 */
unsigned int taskacct_tgid_most_threads(const struct signal_struct *sig)
{
	unsigned int n = READ_ONCE(sig->nr_threads);

	/* count-before-walk: the list that is walked is not older. */
	smp_rmb();
	return n + SLACK;
}

/*
 * Adds the threads that are on the list and have no entry. There may be thousands, so
 * that every instruction for one counts: there is one of this with and without a @group.
 */
static __always_inline void add_threads(struct taskacct_total *total,
					const struct signal_struct *sig,
					struct taskacct_group *group)
{
	unsigned int left = taskacct_tgid_most_threads(sig);
	struct task_struct *t;

	/* Not after the walk: the process may end before that time. */
	taskacct_fill_now(&total->values.until);
	list_for_each_entry_rcu(t, &sig->thread_head, thread_node) {
		if (!group || !taskacct_tgid_is_listed(group, t))
			taskacct_fill_add_task(&total->values, t);
		if (!--left)
			break;
	}
}

/* And those between their exit and their end */
static void add_ending(struct taskacct_total *total,
		       const struct taskacct_group *group)
{
	unsigned int left = READ_ONCE(group->nr_ending);
	const struct taskacct_exited *exited;

	list_for_each_entry_rcu(exited, &group->ending, ending) {
		if (!left--)
			break;
		taskacct_fill_add_task(&total->values, exited->task);
	}
}

/* And of these who have no entry: a task is freed a grace period after its end. */
static void add_placed(struct taskacct_total *total, const struct taskacct_group *group)
{
	struct task_struct *t;
	unsigned int i;

	for (i = 0; i < TASKACCT_TGID_FEW; i++) {
		t = READ_ONCE(group->few[i]);
		if (t)
			taskacct_fill_add_task(&total->values, t);
	}
}

/*
 * A thread that is listed or noted while we look may be counted twice or not at all.
 * One that is released while we look was listed before.
 */
static bool total_of_group(struct taskacct_group *group,
			   const struct signal_struct *sig,
			   struct taskacct_total *total)
{
	unsigned int seq;

	seq = read_seqcount_begin(&group->seq);
	*total = group->dead;
	/* Once it has ended, every thread is in the sum. */
	if (!total->ended) {
		add_threads(total, sig, group);
		add_placed(total, group);
		add_ending(total, group);
	}
	return !read_seqcount_retry(&group->seq, seq);
}

/*
 * Without a group no thread has been noted, and so none released since the hook
 * is there, unless there was no memory for a group: this is what is compared.
 */
static bool total_without_group(struct signal_struct *sig,
				struct taskacct_total *total)
{
	const u64 released = taskacct_fill_released(sig);

	*total = (struct taskacct_total){};
	if (released)
		taskacct_tgid_read_released(&total->values, sig);
	add_threads(total, sig, NULL);
	/*
	 * listed-before-values: a thread's last values are read only when its group is
	 * in the table. Pairs with the barrier in taskacct_tgid_list().
	 */
	smp_rmb();
	return !taskacct_tgid_find(sig) &&
	       released == taskacct_fill_released(sig);
}

/**
 * taskacct_tgid_is_ending() - whether threads of a process are not yet at their end
 * @sig: of the process
 *
 * Context: under rcu_read_lock().
 * Return: true if all its threads have begun to exit, and some are not at their end, or
 *	the last message is yet to be sent.
 */
bool taskacct_tgid_is_ending(const struct signal_struct *sig)
{
	const struct taskacct_group *group = taskacct_tgid_find(sig);

	return group && READ_ONCE(group->complete) &&
	       (READ_ONCE(group->unsent) || !READ_ONCE(group->dead.ended));
}

/**
 * taskacct_tgid_total() - add up a process
 * @leader: its leader, dead or alive
 * @total: receives the sum
 *
 * Consistent while threads come and go: no thread is counted twice or left
 * out, and the sum is never smaller than an earlier one. Neither interrupts
 * nor preemption are off during the walk.
 *
 * Context: any but NMI, on PREEMPT_RT preemptible; under rcu_read_lock().
 * Return: true, or false if a thread exited meanwhile:
 *	taskacct_tgid_total_exactly() has to be called for the sum.
 */
bool taskacct_tgid_total(struct task_struct *leader,
			 struct taskacct_total *total)
{
	struct signal_struct *sig = leader->signal;
	struct taskacct_group *group = taskacct_tgid_find(sig);

	return group ? total_of_group(group, sig, total) :
		       total_without_group(sig, total);
}

/**
 * taskacct_tgid_room_alloc() - make room for a walk that remembers
 * @leader: of the process, kept by the caller
 *
 * Context: task context, may sleep.
 * Return: the room, for taskacct_tgid_room_free(), or NULL if there is no
 *	memory.
 */
struct taskacct_tgid_room *
taskacct_tgid_room_alloc(const struct task_struct *leader)
{
	const struct taskacct_group *group;
	struct taskacct_tgid_room *room;
	unsigned int size;

	/* Each thread may be about to make another. */
	size = 2 * taskacct_tgid_most_threads(leader->signal);
	rcu_read_lock();
	group = taskacct_tgid_find(leader->signal);
	if (group)
		size += READ_ONCE(group->nr_ending) + TASKACCT_TGID_FEW;
	rcu_read_unlock();
	/* As large as the process that the asker has chosen */
	room = kvmalloc(struct_size(room, threads, size), GFP_KERNEL_ACCOUNT);
	if (room)
		room->size = size;
	return room;
}

/**
 * taskacct_tgid_room_free() - free it again
 * @room: from taskacct_tgid_room_alloc()
 *
 * Context: task context, may sleep.
 */
void taskacct_tgid_room_free(struct taskacct_tgid_room *room)
{
	kvfree(room);
}

/*
 * Only what was read before a thread was listed is used: its last values, which are
 * read later, are not smaller. If it has no entry afterwards, it was.
 */
static void read_thread(struct taskacct_tgid_room *room, struct taskacct_total *total,
			struct taskacct_group *group, struct task_struct *t)
{
	if (taskacct_tgid_is_listed(group, t))
		return;
	room->one = (struct taskacct_values){};
	taskacct_fill_add_task(&room->one, t);
	/* listed-before-values. Pairs with the barrier in taskacct_tgid_list(). */
	smp_rmb();
	if (taskacct_tgid_is_listed(group, t))
		return;
	taskacct_fill_add(&total->values, &room->one);
	room->threads[room->n++] = t;
}

static void read_threads(struct taskacct_tgid_room *room,
			 struct taskacct_total *total,
			 struct taskacct_group *group,
			 struct task_struct *leader)
{
	unsigned int left = taskacct_tgid_most_threads(leader->signal);
	struct task_struct *t;

	room->n = 0;
	for_each_thread(leader, t) {
		if (!left-- || room->n == room->size)
			break;
		read_thread(room, total, group, t);
	}
}

static int compare_threads(const void *a, const void *b)
{
	const struct task_struct *const *one = a, *const *other = b;

	return *one < *other ? -1 : *one > *other;
}

/* One of the first @n, which are in order */
static bool was_read(const struct taskacct_tgid_room *room, unsigned int n,
		     const struct task_struct *t)
{
	unsigned int low = 0, mid;

	while (low < n) {
		mid = low + (n - low) / 2;
		if (room->threads[mid] == t)
			return true;
		if (room->threads[mid] < t)
			low = mid + 1;
		else
			n = mid;
	}
	return false;
}

/* A thread that is noted by now is in the sum that is read next. */
static void read_ending_thread(struct taskacct_tgid_room *room,
			       struct taskacct_total *total,
			       const struct taskacct_exited *exited)
{
	room->one = (struct taskacct_values){};
	taskacct_fill_add_task(&room->one, exited->task);
	/* number-before-values. Pairs with taskacct_tgid_add() */
	smp_rmb();
	if (READ_ONCE(exited->nr))
		return;
	taskacct_fill_add(&total->values, &room->one);
	room->threads[room->n++] = exited->task;
}

/*
 * Those that had a place when the first reader came, and still have: they get an entry
 * before they are noted.
 */
static void read_placed(struct taskacct_tgid_room *room, struct taskacct_total *total,
			const struct taskacct_group *group)
{
	const struct taskacct_exited *exited;
	struct task_struct *t;
	unsigned int i;

	for (i = 0; i < TASKACCT_TGID_FEW && room->n < room->size; i++) {
		t = READ_ONCE(group->few[i]);
		if (!t)
			continue;
		room->one = (struct taskacct_values){};
		taskacct_fill_add_task(&room->one, t);
		/* number-before-values. Pairs with note_with() in few.c */
		smp_rmb();
		exited = taskacct_exited_find(t);
		if (exited && READ_ONCE(exited->nr))
			continue;
		taskacct_fill_add(&total->values, &room->one);
		room->threads[room->n++] = t;
	}
}

/*
 * @entered: how many had begun to exit before the thread list was walked. Of those
 * that did so later some were read there.
 */
static void read_ending(struct taskacct_tgid_room *room,
			struct taskacct_total *total,
			const struct taskacct_group *group, u64 entered)
{
	unsigned int left = READ_ONCE(group->nr_ending);
	const unsigned int n = room->n;
	const struct taskacct_exited *exited;
	bool sorted = false;

	list_for_each_entry_rcu(exited, &group->ending, ending) {
		if (!left-- || room->n == room->size)
			break;
		if (exited->entered > entered && !sorted) {
			sort(room->threads, n, sizeof(*room->threads), compare_threads,
			     NULL);
			sorted = true;
		}
		if (exited->entered > entered && was_read(room, n, exited->task))
			continue;
		read_ending_thread(room, total, exited);
	}
}

/*
 * Those that were noted after they were read, and are in this sum. Of another entry
 * @values may be written meanwhile.
 */
static void subtract_noted(const struct taskacct_tgid_room *room,
			   struct taskacct_total *total, u64 nr)
{
	const struct taskacct_exited *exited;
	unsigned int i;
	u64 noted;

	for (i = 0; i < room->n; i++) {
		exited = taskacct_exited_of(room->threads[i]);
		if (!exited)
			continue;
		/* @nr was read under the lock: of these the values are there. */
		noted = READ_ONCE(exited->nr);
		if (noted && noted <= nr)
			taskacct_fill_subtract(&total->values, &exited->values);
	}
}

/* From now on nobody is noted without an entry. Returns how many had one by now. */
static u64 begin_reading(struct taskacct_group *group)
{
	u64 entered;

	raw_spin_lock(&group->lock);
	group->readers++;
	entered = group->entered;
	raw_spin_unlock(&group->lock);
	return entered;
}

static void end_reading(struct taskacct_group *group)
{
	raw_spin_lock(&group->lock);
	group->readers--;
	raw_spin_unlock(&group->lock);
}

/* Adds the sum of those that were noted; returns how many those are */
static u64 add_dead(struct taskacct_total *total, struct taskacct_group *group)
{
	const struct taskacct_total *dead = &group->dead;
	u64 nr;

	raw_spin_lock(&group->lock);
	if (dead->ended) {
		*total = *dead;
	} else {
		taskacct_fill_add(&total->values, &dead->values);
		total->values.mm = dead->values.mm;
	}
	nr = group->nr;
	raw_spin_unlock(&group->lock);
	return nr;
}

/**
 * taskacct_tgid_total_exactly() - add up a process, whatever happens meanwhile
 * @leader: its leader, dead or alive
 * @total: receives the sum
 * @room: from taskacct_tgid_room_alloc(), for this process
 *
 * Context: as for taskacct_tgid_total().
 */
void taskacct_tgid_total_exactly(struct task_struct *leader,
				 struct taskacct_total *total,
				 struct taskacct_tgid_room *room)
{
	struct taskacct_group *group = taskacct_tgid_find(leader->signal);
	u64 entered, nr;

	if (!group) {
		/* There was no memory for one: what was released is not exact. */
		total_without_group(leader->signal, total);
		return;
	}
	*total = (struct taskacct_total){};
	taskacct_fill_now(&total->values.until);
	entered = begin_reading(group);
	read_threads(room, total, group, leader);
	read_placed(room, total, group);
	read_ending(room, total, group, entered);
	nr = add_dead(total, group);
	if (!total->ended)
		subtract_noted(room, total, nr);
	end_reading(group);
}

/**
 * taskacct_tgid_total_of_current() - the sum of a process that ends
 * @total: receives it
 * @group: the process, or NULL: what the kernel keeps of other threads is all that
 *	there is
 * @values: of current
 *
 * Context: the hook at its end, for current, which is the last thread.
 */
void taskacct_tgid_total_of_current(struct taskacct_total *total,
				    struct taskacct_group *group,
				    const struct taskacct_values *values)
{
	*total = (struct taskacct_total){};
	if (group) {
		add_dead(total, group);
	} else {
		taskacct_tgid_read_released(&total->values, current->signal);
		taskacct_fill_add(&total->values, values);
	}
}
