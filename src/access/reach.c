// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may ask about whom
 *
 * Who has CAP_NET_ADMIN over the user namespace that owns his pid namespace may
 * ask about all tasks in it that are of that user namespace or below: one that
 * came in from outside, with credentials or with a program of outside, is none of
 * his. In the initial pid namespace that is the capability in the initial user
 * namespace, and all tasks are in it.
 *
 * Anybody may ask about his own process. With unprivileged=1 he may ask about all
 * tasks that he may trace, by the rule that guards /proc/PID/io: what a task has
 * read and written can tell what it read. ptrace_may_access() is not exported. Of
 * its rule this has all but security modules, which cannot be asked and may forbid
 * more; that is why it is not the default. Where a kernel does not keep whether a
 * task that has left its address space may be looked into, it may not.
 */

#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/netlink.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/time_namespace.h>
#include <linux/user_namespace.h>
#include <net/sock.h>

#include "task/task.h"

#include "access.h"

/* The parameter; may change at any time */
bool taskacct_reach_unprivileged;

/* The parameter uid_world */
bool taskacct_reach_all_users;

/*
 * Whether the socket was opened by one who may do no less than its user.
 * Otherwise a program with more rights could be made to ask by what it writes
 * to its standard output, and somebody else reads the answer.
 */
static bool is_of_opener(const struct sk_buff *skb)
{
	const struct socket *socket = NETLINK_CB(skb).sk->sk_socket;
	const struct cred *cred = current_cred();
	const struct cred *opener;

	if (!socket || !socket->file)
		return false;
	opener = socket->file->f_cred;
	return opener->user_ns == cred->user_ns &&
	       uid_eq(opener->fsuid, cred->fsuid) &&
	       gid_eq(opener->fsgid, cred->fsgid) &&
	       uid_eq(opener->euid, cred->euid) &&
	       cap_issubset(cred->cap_effective, opener->cap_effective);
}

/* How long a request, or a part of a dump, waits for other tasks: 100 ms at most */
#define NAPS 200
#define NAP_US 500

static enum taskacct_reach_level level_of(const struct sk_buff *skb,
					  const struct pid_namespace *pid_ns)
{
	if (netlink_capable(skb, CAP_NET_ADMIN))
		return pid_ns == &init_pid_ns ? TASKACCT_REACH_ALL :
						TASKACCT_REACH_PID_NS;
	if (netlink_ns_capable(skb, pid_ns->user_ns, CAP_NET_ADMIN))
		return TASKACCT_REACH_USER_NS;
	if (!is_of_opener(skb))
		return TASKACCT_REACH_NOTHING;
	return READ_ONCE(taskacct_reach_unprivileged) ?
		       TASKACCT_REACH_TRACEABLE : TASKACCT_REACH_OWN_PROCESS;
}

/* @view is zeroed. */
static void get_view(struct taskacct_view *view, struct pid_namespace *pid_ns,
		     enum taskacct_reach_level level)
{
	if (level == TASKACCT_REACH_ALL) {
		/*
		 * As TASKACCT_VIEW_INIT, with the asker's own time. To copy all
		 * of that takes ten instructions more of every query.
		 */
		view->boot_offset = taskacct_boot_offset();
		view->user_ns = &init_user_ns;
		view->pid_ns = &init_pid_ns;
		view->init_ids = true;
		return;
	}
	*view = (struct taskacct_view){
		.boot_offset = taskacct_boot_offset(),
		.user_ns = current_user_ns(),
		.pid_ns = pid_ns,
		.cgroup_root = taskacct_cgroup_ns_root(),
		.init_ids = level == TASKACCT_REACH_PID_NS ||
			    pid_ns == &init_pid_ns,
	};
}

/**
 * taskacct_reach_of() - which tasks the sender of a request may ask about
 * @reach: zeroed; receives it, for as long as the request lasts
 * @skb: the request
 * @extack: told why none
 *
 * Context: the request's task.
 * Return: 0, or -EPERM: about none at all. Otherwise it may ask about its own
 *	process, by number; about others see taskacct_reach_need_others().
 */
int taskacct_reach_of(struct taskacct_reach *reach, const struct sk_buff *skb,
		      struct netlink_ext_ack *extack)
{
	struct pid_namespace *pid_ns = task_active_pid_ns(current);

	reach->level = level_of(skb, pid_ns);
	reach->self = current->signal;
	get_view(&reach->view, pid_ns, reach->level);
	if (reach->level == TASKACCT_REACH_USER_NS)
		reach->over = pid_ns->user_ns;
	if (reach->level == TASKACCT_REACH_TRACEABLE)
		reach->cred = current_cred();
	if (reach->level != TASKACCT_REACH_NOTHING)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN on a socket that somebody else has opened");
	return -EPERM;
}

/**
 * taskacct_reach_need_others() - whether an asker may ask about other processes
 *	than its own
 * @reach: its reach
 * @extack: told if not
 *
 * Context: any.
 * Return: 0; -EPERM: not about any.
 */
int taskacct_reach_need_others(const struct taskacct_reach *reach,
			       struct netlink_ext_ack *extack)
{
	if (reach->level > TASKACCT_REACH_OWN_PROCESS)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN over this pid namespace, or unprivileged=1 of the module");
	return -EPERM;
}

/* References are of no use to one that is of all, or of nothing. */
static bool has_references(const struct taskacct_reach *reach)
{
	return reach->level != TASKACCT_REACH_ALL &&
	       reach->level != TASKACCT_REACH_NOTHING;
}

/**
 * taskacct_reach_hold() - keep a reach beyond its request
 * @reach: the reach, for taskacct_reach_drop()
 *
 * Context: the request's task.
 */
void taskacct_reach_hold(struct taskacct_reach *reach)
{
	reach->self = NULL;
	if (!has_references(reach))
		return;
	get_pid_ns(reach->view.pid_ns);
	get_user_ns(reach->view.user_ns);
	if (reach->view.cgroup_root)
		taskacct_cgroup_get(reach->view.cgroup_root);
	if (reach->cred)
		get_cred(reach->cred);
}

/**
 * taskacct_reach_drop() - let go of a reach
 * @reach: from taskacct_reach_hold(), or zeroed
 *
 * Context: any but NMI and hard interrupts.
 */
void taskacct_reach_drop(struct taskacct_reach *reach)
{
	if (!has_references(reach))
		return;
	if (reach->cred)
		put_cred(reach->cred);
	if (reach->view.cgroup_root)
		taskacct_cgroup_put(reach->view.cgroup_root);
	put_user_ns(reach->view.user_ns);
	put_pid_ns(reach->view.pid_ns);
}

/**
 * taskacct_reach_go_on() - begin another part of what was asked for
 * @reach: from taskacct_reach_hold(); may wait for tasks anew
 *
 * Context: any.
 */
void taskacct_reach_go_on(struct taskacct_reach *reach)
{
	reach->naps = 0;
}

static bool is_below(const struct user_namespace *ns,
		     const struct user_namespace *over)
{
	while (ns && ns != over)
		ns = ns->parent;
	return ns;
}

/**
 * taskacct_reach_knows() - whether an asker may be told about a listener
 * @reach: the asker's
 * @other: the listener's
 *
 * Context: any.
 * Return: true for an administrator, and for one who could have made it.
 */
bool taskacct_reach_knows(const struct taskacct_reach *reach,
			  const struct taskacct_reach *other)
{
	if (!taskacct_reach_is_guest(reach))
		return true;
	if (!taskacct_reach_is_guest(other) ||
	    reach->view.pid_ns != other->view.pid_ns)
		return false;
	if (reach->level == TASKACCT_REACH_USER_NS)
		return is_below(other->view.user_ns, reach->over);
	return reach->cred && other->cred && reach->view.user_ns == other->view.user_ns &&
	       uid_eq(reach->cred->euid, other->cred->euid);
}

/* CAP_SYS_PTRACE over a user namespace, as the kernel grants capabilities */
static bool may_trace_in(const struct cred *cred,
			 const struct user_namespace *ns)
{
	for (; ns; ns = ns->parent) {
		if (ns == cred->user_ns)
			return cap_raised(cred->cap_effective, CAP_SYS_PTRACE);
		if (ns->parent == cred->user_ns &&
		    uid_eq(ns->owner, cred->euid))
			return true;
	}
	return false;
}

static bool same_ids(const struct cred *cred, const struct cred *of_task)
{
	return uid_eq(cred->fsuid, of_task->uid) &&
	       uid_eq(cred->fsuid, of_task->euid) &&
	       uid_eq(cred->fsuid, of_task->suid) &&
	       gid_eq(cred->fsgid, of_task->gid) &&
	       gid_eq(cred->fsgid, of_task->egid) &&
	       gid_eq(cred->fsgid, of_task->sgid);
}

/* Nobody gets to know more by asking than he could by doing it himself. */
static bool is_no_more(const struct cred *cred, const struct cred *of_task)
{
	return cred->user_ns == of_task->user_ns &&
	       cap_issubset(of_task->cap_permitted, cred->cap_effective);
}

/* By its credentials alone */
static bool has_cred(const struct taskacct_reach *reach, struct task_struct *t)
{
	const struct cred *of_task = __task_cred(t);
	const struct cred *cred = reach->cred;

	switch (reach->level) {
	case TASKACCT_REACH_ALL:
	case TASKACCT_REACH_PID_NS:
		return true;
	case TASKACCT_REACH_USER_NS:
		return is_below(of_task->user_ns, reach->over);
	case TASKACCT_REACH_TRACEABLE:
		if (!READ_ONCE(taskacct_reach_unprivileged))
			return false;
		return (same_ids(cred, of_task) && is_no_more(cred, of_task)) ||
		       may_trace_in(cred, of_task->user_ns);
	default:
		return false;
	}
}

/*
 * By the program that it runs, too: a process of outside that joins a container
 * has credentials of the container, and what it was outside in its memory.
 */
static bool has_program(const struct taskacct_reach *reach,
			const struct taskacct_dumpable dumpable)
{
	if (dumpable.by_user)
		return true;
	switch (reach->level) {
	case TASKACCT_REACH_ALL:
	case TASKACCT_REACH_PID_NS:
		return true;
	case TASKACCT_REACH_USER_NS:
		return is_below(dumpable.user_ns, reach->over);
	case TASKACCT_REACH_TRACEABLE:
		return may_trace_in(reach->cred, dumpable.user_ns);
	default:
		return false;
	}
}

/**
 * taskacct_reach_has_limited() - taskacct_reach_has() where it is limited
 * @reach: the reach
 * @t: the task
 * @mm: its address space, kept by the caller, or NULL
 *
 * Only the execution of a program makes of a task that is in reach one that
 * knows what the asker may not.
 *
 * Context: any; @t is current in the exit hook, or locked by
 *	taskacct_reach_lock().
 */
bool taskacct_reach_has_limited(const struct taskacct_reach *reach,
				struct task_struct *t, struct mm_struct *mm)
{
	bool has;

	if (!task_pid_nr_ns(t, reach->view.pid_ns))
		return false;
	if (reach->self && t->signal == reach->self)
		return true;
	rcu_read_lock();
	has = has_cred(reach, t);
	/*
	 * One that gives up its privileges is not dumpable any more by then.
	 * Pairs with the write barrier in the kernel's commit_creds().
	 */
	smp_rmb();
	has = has && has_program(reach, taskacct_dumpable(t, mm));
	rcu_read_unlock();
	return has;
}

/* A task at its end has no number and no program, but what was kept of them. */
static bool has_kept(const struct taskacct_reach *reach,
		     const struct taskacct_kept *kept)
{
	const struct taskacct_dumpable dumpable = {
		.by_user = kept->dumpable,
		.user_ns = kept->user_ns,
	};
	bool has;

	if (!taskacct_kept_number(kept, TASKACCT_KEPT_PID, &reach->view))
		return false;
	rcu_read_lock();
	has = has_cred(reach, current) && has_program(reach, dumpable) &&
	      (!kept->leader || has_cred(reach, kept->leader));
	rcu_read_unlock();
	return has;
}

/**
 * taskacct_reach_has_current() - taskacct_reach_hears() where it is limited
 * @reach: the listener's
 * @kept: as for that
 *
 * Context: as for that.
 */
bool taskacct_reach_has_current(const struct taskacct_reach *reach,
				const struct taskacct_kept *kept)
{
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	struct task_struct *leader;

	if (kept)
		return has_kept(reach, kept);
	if (taskacct_was_released(current))
		return false;
	leader = current->group_leader;
	/* What its process did is told with the last thread. */
	return taskacct_reach_has(reach, current, mm) &&
	       (leader == current || taskacct_reach_has(reach, leader, mm));
}

/**
 * taskacct_reach_users() - of which users an asker may be told
 * @only: receives INVALID_UID: of all; or the asker's own
 * @privileged: it has the capability for all, in the initial user namespace
 * @extack: told why of none, or NULL
 *
 * Totals are of tasks all over the machine: in another pid namespace, where
 * those outside cannot be seen, not even one's own are told.
 *
 * Context: the asker's task.
 * Return: 0, or -EPERM: of none at all.
 */
int taskacct_reach_users(kuid_t *only, bool privileged,
			 struct netlink_ext_ack *extack)
{
	*only = INVALID_UID;
	if (taskacct_reach_all_users)
		return 0;
	if (task_active_pid_ns(current) != &init_pid_ns) {
		NL_SET_ERR_MSG(extack,
			       "users are of the initial pid namespace");
		return -EPERM;
	}
	if (privileged)
		return 0;
	if (!READ_ONCE(taskacct_reach_unprivileged)) {
		NL_SET_ERR_MSG(extack,
			       "needs CAP_NET_ADMIN in the initial user namespace");
		return -EPERM;
	}
	*only = current_fsuid();
	return 0;
}

/**
 * taskacct_reach_lock() - keep a task from executing another program
 * @reach: on whose behalf
 * @t: the task, referenced
 *
 * A task that cannot be in reach is not locked: its user could make us wait. Nor
 * is one that is waited for without end, as whoever asks holds what all of
 * generic netlink may wait for, and the asker may have arranged it.
 *
 * Context: the request's task, may sleep.
 * Return: 0, for taskacct_reach_unlock(); -EPERM; -EINTR if the asker is
 *	killed; -EBUSY if the task has been executing a program for too long.
 */
int taskacct_reach_lock(struct taskacct_reach *reach, struct task_struct *t)
{
	bool may_have;

	might_sleep();
	rcu_read_lock();
	may_have = t->signal == reach->self || has_cred(reach, t);
	rcu_read_unlock();
	if (!may_have)
		return -EPERM;
	while (!down_read_trylock(&t->signal->exec_update_lock)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (reach->naps == NAPS)
			return -EBUSY;
		reach->naps++;
		usleep_range(NAP_US / 2, NAP_US);
	}
	return 0;
}

/**
 * taskacct_reach_unlock() - let a task execute programs again
 * @t: from taskacct_reach_lock()
 *
 * Context: the request's task.
 */
void taskacct_reach_unlock(struct task_struct *t)
{
	up_read(&t->signal->exec_update_lock);
}

/**
 * taskacct_reach_allowed() - may the sender ask about any task?
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
int taskacct_reach_allowed(const struct sk_buff *skb,
			   struct netlink_ext_ack *extack)
{
	if (netlink_capable(skb, CAP_NET_ADMIN))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN in the initial user namespace");
	return -EPERM;
}
