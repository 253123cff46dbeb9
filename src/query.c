// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which task is meant, and who may ask
 *
 * Queries run in the context of the socket's user: pids and uids are those of
 * its namespaces.
 */

#include <linux/acct.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/netlink.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/timekeeping.h>

#include "fill.h"
#include "query.h"
#include "tgid.h"

/**
 * taskacct_query_allowed() - may the sender ask about any task?
 * @skb: the request
 * @extack: told why not
 *
 * All tasks are the machine's, not those of the network namespace that the
 * socket is in: the capability counts in the initial user namespace only. Both
 * the socket's opener and the sender need it.
 *
 * Context: any.
 * Return: 0 or -EPERM.
 */
int taskacct_query_allowed(const struct sk_buff *skb,
			   struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN in the initial user namespace");
	return -EPERM;
}

/**
 * taskacct_query_may_listen() - can the sender make sense of exit records?
 * @extack: told why not
 *
 * Context: the request's task.
 * Return: 0 or -EINVAL.
 */
int taskacct_query_may_listen(struct netlink_ext_ack *extack)
{
	if (task_active_pid_ns(current) == &init_pid_ns)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "exit records have pids of the initial pid namespace: register from there");
	return -EINVAL;
}

static struct taskacct_view view_of_asker(void)
{
	return (struct taskacct_view){
		.user_ns = current_user_ns(),
		.pid_ns = task_active_pid_ns(current),
	};
}

/**
 * taskacct_query_task() - answer for one task
 * @stats: the record, zeroed
 * @pid: id of the task, in the asker's pid namespace
 * @extack: told why not
 *
 * Context: the request's task, may sleep.
 * Return: 0, or -ESRCH if there is no such task.
 */
int taskacct_query_task(struct taskstats *stats, u32 pid,
			struct netlink_ext_ack *extack)
{
	const struct taskacct_view view = view_of_asker();
	struct taskacct_values values = {};
	struct task_struct *t;

	might_sleep();
	rcu_read_lock();
	t = pid_task(find_vpid(pid), PIDTYPE_PID);
	if (t)
		get_task_struct(t);
	rcu_read_unlock();
	if (!t) {
		NL_SET_ERR_MSG(extack, "no such task");
		return -ESRCH;
	}

	taskacct_fill_add_task(&values, t);
	taskacct_fill_mm_of_task(&values.mm, t);
	taskacct_fill_identity(stats, t, &view, ktime_get_ns());
	taskacct_fill_values(stats, &values);
	/* The number that it was found by: execve() and release change it. */
	stats->ac_pid = pid;
	put_task_struct(t);
	return 0;
}

/* A thread through which the process's address space can be reached */
static struct task_struct *get_thread_with_mm(struct task_struct *leader)
{
	struct task_struct *t, *found = NULL;

	rcu_read_lock();
	for_each_thread(leader, t) {
		if (READ_ONCE(t->mm) && !(READ_ONCE(t->flags) & PF_KTHREAD)) {
			get_task_struct(t);
			found = t;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/*
 * Threads leave the address space one by one; as long as one is there, so is
 * what it tells.
 */
static void fill_mm_of_process(struct taskacct_mm *mm,
			       struct task_struct *leader)
{
	struct task_struct *t;

	*mm = (struct taskacct_mm){};
	while (!mm->hiwater_vm && (t = get_thread_with_mm(leader))) {
		taskacct_fill_mm_of_task(mm, t);
		put_task_struct(t);
	}
}

/* Returns the leader, referenced, or NULL if there is no such process */
static struct task_struct *get_leader(u32 tgid)
{
	struct task_struct *leader;

	rcu_read_lock();
	leader = pid_task(find_vpid(tgid), PIDTYPE_TGID);
	if (leader)
		get_task_struct(leader);
	rcu_read_unlock();
	return leader;
}

/*
 * Returns false if the process is gone, or led by another thread. A leader
 * that can still be found is not freed, nor is its process's total.
 */
static bool get_total(u32 tgid, struct task_struct *leader,
		      struct taskacct_total *total)
{
	struct taskacct_mm mm;
	bool found;

	/* The last thread leaves a total behind before its address space. */
	fill_mm_of_process(&mm, leader);
	rcu_read_lock();
	found = pid_task(find_vpid(tgid), PIDTYPE_TGID) == leader;
	if (found)
		taskacct_tgid_total(leader, total);
	rcu_read_unlock();
	if (found && !total->ended)
		total->values.mm = mm;
	return found;
}

/**
 * taskacct_query_process() - answer for a process
 * @stats: the record, zeroed
 * @tgid: id of the process, in the asker's pid namespace
 * @extack: told why not
 *
 * Context: the request's task, may sleep.
 * Return: 0, or -ESRCH if there is no such process: the id of a thread that is
 *	not its process's leader is not the id of a process.
 */
int taskacct_query_process(struct taskstats *stats, u32 tgid,
			   struct netlink_ext_ack *extack)
{
	const struct taskacct_view view = view_of_asker();
	struct taskacct_total total;
	struct task_struct *leader;

	might_sleep();
	while ((leader = get_leader(tgid)) &&
	       !get_total(tgid, leader, &total))
		put_task_struct(leader);
	if (!leader) {
		NL_SET_ERR_MSG(extack, "no such process");
		return -ESRCH;
	}

	taskacct_fill_identity(stats, leader, &view, total.values.until);
	taskacct_fill_values(stats, &total.values);
	taskacct_fill_process(stats, leader);
	/* As for a task: meanwhile it may have another leader, or be gone. */
	stats->ac_pid = tgid;
	taskacct_put_group(stats, tgid, stats->ac_etime);
	if (total.ended)
		stats->ac_flag |= AGROUP;
	put_task_struct(leader);
	return 0;
}
