// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is kept of an exiting task until its end: as much as the listeners want
 */

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/skbuff.h>
#include <linux/user_namespace.h>

#include "listen/listen.h"
#include "record/record.h"
#include "ring/ring.h"
#include "task/task.h"
#include "tgid/tgid.h"

#include "keep.h"

static void keep_strings(struct taskacct_kept *kept, struct mm_struct *mm)
{
	u32 want;

	rcu_read_lock();
	want = (taskacct_wanted_strings() | READ_ONCE(taskacct_ring_want)) &
	       TASKACCT_WANT_STRINGS & ~TASKACCT_WANT_CGROUP_PATH;
	rcu_read_unlock();
	taskacct_kept_read_strings(kept, want, mm);
}

/*
 * What is in memory is for extended records. Who asks for that of a process of several later
 * gets its exact peak, whoever listens now.
 */
static void keep_mm(struct taskacct_kept *kept, struct mm_struct *mm)
{
	const bool exactly = kept->extended || kept->several;

	if (exactly)
		taskacct_memory_read(&kept->memory, mm);
	taskacct_fill_mm(&kept->mm, mm, exactly ? &kept->memory : NULL);
}

/* For who has asked for something else: to say who it was, and whose program it was */
static noinline void keep_whole(struct taskacct_kept *kept, struct mm_struct *mm)
{
	struct taskacct_dumpable dumpable;
	unsigned int i;

	rcu_read_lock();
	dumpable = taskacct_dumpable(current, mm);
	kept->dumpable = dumpable.by_user;
	kept->user_ns = get_user_ns((struct user_namespace *)dumpable.user_ns);
	kept->pids[TASKACCT_KEPT_PID] = task_pid(current);
	kept->pids[TASKACCT_KEPT_TGID] = task_tgid(current);
	kept->pids[TASKACCT_KEPT_PPID] =
		task_tgid(rcu_dereference(current->real_parent));
	for (i = 0; i < ARRAY_SIZE(kept->pids); i++)
		get_pid(kept->pids[i]);
	rcu_read_unlock();
	keep_strings(kept, mm);
}

/*
 * Whether any queue has room for a message now, of a thread or of a process. For one that
 * has it at the end only, memory is had there.
 */
static bool any_queue_has_room(const struct taskacct_cpu_listeners *cpu_listeners)
{
	const struct taskacct_cpu_listener *by, *const end = cpu_listeners->by + cpu_listeners->n;
	const struct taskacct_listener *listener;

	for (by = cpu_listeners->by; by != end; by++) {
		listener = rcu_dereference_sched(by->listener);
		if (listener && taskacct_listener_has_room(listener, false))
			return true;
	}
	return false;
}

/*
 * The last thread's has its process's record, too. Names make it larger, and are known at
 * the end only.
 */
static struct sk_buff *get_message(const struct taskacct_kept *kept, bool last)
{
	struct taskacct_shape shape = {
		.kinds = TASKACCT_KIND_TASK |
			 (last && kept->several ? TASKACCT_KIND_PROCESS : 0),
	};

	if (kept->whole)
		taskacct_wanted_shape(&shape, last, kept->several);
	if (shape.want & TASKACCT_WANT_STRINGS)
		return NULL;
	return taskacct_message_memory(&shape, TASKACCT_GFP_QUEUED);
}

/**
 * taskacct_keep_new() - keep what the running task will not have at its end
 * @several: its process has had several threads
 *
 * Context: the exit hook, for current; on PREEMPT_RT preemptible.
 * Return: it; NULL: there is no memory.
 */
struct taskacct_kept *taskacct_keep_new(bool several)
{
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	struct taskacct_kept *kept = taskacct_kept_alloc();
	const struct taskacct_cpu_listeners *cpu_listeners;
	bool room;

	if (!kept)
		return NULL;
	kept->task = current;
	kept->start = current->start_time;
	kept->early = false;
	kept->several = several;
	kept->last = !several || taskacct_tgid_is_only();
	kept->pid = current->pid;
	kept->leader = several ? get_task_struct(current->group_leader) : NULL;
	kept->start_of_group = current->group_leader->start_time;
	rcu_read_lock_sched();
	kept->ppid = task_tgid_nr(rcu_dereference_sched(current->real_parent));
	cpu_listeners = taskacct_cpu_listeners_here();
	kept->extended = cpu_listeners && cpu_listeners->extended;
	kept->whole = kept->extended || (READ_ONCE(taskacct_ring_want) & TASKACCT_WANT_STRINGS);
	kept->extended |= taskacct_ring_is_on();
	room = cpu_listeners && any_queue_has_room(cpu_listeners);
	rcu_read_unlock_sched();
	kept->skb = likely(room) ? get_message(kept, !several) : NULL;
	kept->has_mm = mm;
	if (mm)
		keep_mm(kept, mm);
	else
		kept->mm = (struct taskacct_mm){};
	/* In the numbers of the initial namespaces */
	if (kept->extended)
		kept->pid_ns = task_active_pid_ns(current)->ns.inum;
	if (kept->whole)
		keep_whole(kept, mm);
	taskacct_kept_put_back(kept);
	return kept;
}

/**
 * taskacct_keep_expect_last() - have memory for the message of a process's last thread
 * @kept: what was kept of that, whose process has had several
 *
 * Context: the hook at its end, for current, before its values are read: to get memory
 *	takes long, as taskacct_kept.skb has it.
 */
void taskacct_keep_expect_last(struct taskacct_kept *kept)
{
	if (!kept->skb)
		return;
	consume_skb(kept->skb);
	kept->skb = get_message(kept, true);
}
