// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may ask about whom
 *
 * An asker with CAP_NET_ADMIN over the user namespace that owns its pid namespace may ask
 * about all tasks in that pid namespace whose credentials and whose program belong to the
 * user namespace or to one below. A task that came in from outside is not accessible. In
 * the initial pid namespace this means CAP_NET_ADMIN in the initial user namespace, and
 * all tasks.
 *
 * Every asker may ask about its own process. With unprivileged=1 it may ask about all tasks
 * that it may trace, which is the rule for /proc/PID/io: what a task reads and writes can
 * reveal what it read. ptrace_may_access() is not exported; this file has its rule except
 * for security modules, which cannot be asked and may forbid more. That is why it is not
 * the default. Where the kernel does not keep whether a task without an address space is
 * dumpable, it is not accessible.
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

#include "privilege/privilege.h"
#include "privilege/privilege.h"
#include "task/task.h"

#include "access.h"

/* The parameter; may change at any time */
bool taskacct_access_unprivileged;

/* The parameter uid_world */
bool taskacct_access_all_users;

/*
 * Whether the opener of the socket has at least the rights of the sender. Otherwise a
 * privileged program whose standard output is the socket could be made to ask, and another
 * reads the answer.
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
#define RETRIES 200
#define RETRY_US 500

static enum taskacct_access_level level_of(const struct sk_buff *skb,
					   const struct pid_namespace *pid_ns)
{
	if (taskacct_privilege_of_request(skb, TASKACCT_PRIVILEGE_TASKS,
					  &init_user_ns))
		return pid_ns == &init_pid_ns ? TASKACCT_ACCESS_ALL :
						TASKACCT_ACCESS_PID_NS;
	if (taskacct_privilege_of_request(skb, TASKACCT_PRIVILEGE_TASKS,
					  pid_ns->user_ns))
		return TASKACCT_ACCESS_USER_NS;
	if (!is_of_opener(skb))
		return TASKACCT_ACCESS_NOTHING;
	return READ_ONCE(taskacct_access_unprivileged) ?
		       TASKACCT_ACCESS_TRACEABLE : TASKACCT_ACCESS_OWN_PROCESS;
}

/* @view is zeroed. */
static void get_view(struct taskacct_view *view, struct pid_namespace *pid_ns,
		     enum taskacct_access_level level)
{
	if (level == TASKACCT_ACCESS_ALL) {
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
		.init_ids = level == TASKACCT_ACCESS_PID_NS ||
			    pid_ns == &init_pid_ns,
	};
}

/**
 * taskacct_access_of() - which tasks the sender of a request may ask about
 * @access: zeroed; receives it, for as long as the request lasts
 * @skb: the request
 * @extack: says why none
 *
 * Context: the request's task.
 * Return: 0, or -EPERM: about none at all. Otherwise it may ask about its own
 *	process, by number; about others see taskacct_access_need_others().
 */
int taskacct_access_of(struct taskacct_access *access, const struct sk_buff *skb,
		       struct netlink_ext_ack *extack)
{
	struct pid_namespace *pid_ns = task_active_pid_ns(current);

	access->level = level_of(skb, pid_ns);
	access->self = current->signal;
	get_view(&access->view, pid_ns, access->level);
	if (access->level == TASKACCT_ACCESS_USER_NS)
		access->user_ns = pid_ns->user_ns;
	if (access->level == TASKACCT_ACCESS_TRACEABLE)
		access->cred = current_cred();
	if (access->level != TASKACCT_ACCESS_NOTHING)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN on a socket that somebody else has opened");
	return -EPERM;
}

/**
 * taskacct_access_need_others() - whether an asker may ask about other processes
 *	than its own
 * @access: its access
 * @extack: says if not
 *
 * Return: 0; -EPERM: not about any.
 */
int taskacct_access_need_others(const struct taskacct_access *access,
				struct netlink_ext_ack *extack)
{
	if (access->level > TASKACCT_ACCESS_OWN_PROCESS)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN over this pid namespace, or unprivileged=1 of the module");
	return -EPERM;
}

/**
 * taskacct_access_need_names() - whether an asker may have the executables and command
 *	lines of all tasks that it has access to
 * @access: its access
 * @skb: the request
 * @want: TASKACCT_WANT_*, what it asks for
 * @extack: says if not
 *
 * Tracing a task, or being in its process, gives access to these as well.
 *
 * Context: the request's task.
 * Return: 0 or -EPERM.
 */
int taskacct_access_need_names(const struct taskacct_access *access,
			       const struct sk_buff *skb, u32 want,
			       struct netlink_ext_ack *extack)
{
	struct user_namespace *ns = &init_user_ns;

	if (!(want & (TASKACCT_WANT_EXE_PATH | TASKACCT_WANT_CMDLINE)) ||
	    access->level < TASKACCT_ACCESS_USER_NS)
		return 0;
	if (access->level == TASKACCT_ACCESS_USER_NS)
		ns = access->view.pid_ns->user_ns;
	if (taskacct_privilege_of_request(skb, TASKACCT_PRIVILEGE_NAMES, ns))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "executables and command lines of others need CAP_SYS_PTRACE or CAP_PERFMON");
	return -EPERM;
}

/**
 * taskacct_access_is_own() - whether a task is one of the asker's own process
 * @access: its access, while the request lasts
 * @t: the task, kept by the caller
 *
 * Return: true if so.
 */
bool taskacct_access_is_own(const struct taskacct_access *access,
			    const struct task_struct *t)
{
	return access->self && t->signal == access->self;
}

/* Access to all tasks, or to none, needs no references. */
static bool has_references(const struct taskacct_access *access)
{
	return access->level != TASKACCT_ACCESS_ALL &&
	       access->level != TASKACCT_ACCESS_NOTHING;
}

/**
 * taskacct_access_hold() - keep an access right beyond its request
 * @access: the access, for taskacct_access_drop()
 *
 * Context: the request's task.
 */
void taskacct_access_hold(struct taskacct_access *access)
{
	access->self = NULL;
	if (!has_references(access))
		return;
	get_pid_ns(access->view.pid_ns);
	get_user_ns(access->view.user_ns);
	if (access->view.cgroup_root)
		taskacct_cgroup_get(access->view.cgroup_root);
	if (access->cred)
		get_cred(access->cred);
}

/**
 * taskacct_access_drop() - drop the references of an access right
 * @access: from taskacct_access_hold(), or zeroed
 *
 * Context: any but NMI and hard interrupts.
 */
void taskacct_access_drop(struct taskacct_access *access)
{
	if (!has_references(access))
		return;
	if (access->cred)
		put_cred(access->cred);
	if (access->view.cgroup_root)
		taskacct_cgroup_put(access->view.cgroup_root);
	put_user_ns(access->view.user_ns);
	put_pid_ns(access->view.pid_ns);
}

/**
 * taskacct_access_go_on() - begin another part of what was asked for
 * @access: from taskacct_access_hold(); may wait for tasks anew
 */
void taskacct_access_go_on(struct taskacct_access *access)
{
	access->retries = 0;
}

static bool is_below(const struct user_namespace *ns,
		     const struct user_namespace *user_ns)
{
	while (ns && ns != user_ns)
		ns = ns->parent;
	return ns;
}

/**
 * taskacct_access_knows() - whether an asker may know of a listener
 * @access: the asker's
 * @other: the listener's
 *
 * Return: true for an administrator, and for one who could have made it.
 */
bool taskacct_access_knows(const struct taskacct_access *access,
			   const struct taskacct_access *other)
{
	if (!taskacct_access_is_unprivileged(access))
		return true;
	if (!taskacct_access_is_unprivileged(other) ||
	    access->view.pid_ns != other->view.pid_ns)
		return false;
	if (access->level == TASKACCT_ACCESS_USER_NS)
		return is_below(other->view.user_ns, access->user_ns);
	return access->cred && other->cred && access->view.user_ns == other->view.user_ns &&
	       uid_eq(access->cred->euid, other->cred->euid);
}

static bool may_trace_in(const struct cred *cred, const struct user_namespace *ns)
{
	return taskacct_privilege_of_cred(cred, TASKACCT_PRIVILEGE_TRACE, ns);
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

/* An asker learns no more than it could by tracing the task. */
static bool is_no_more(const struct cred *cred, const struct cred *of_task)
{
	return cred->user_ns == of_task->user_ns &&
	       cap_issubset(of_task->cap_permitted, cred->cap_effective);
}

/* The credentials alone decide. */
static bool has_cred(const struct taskacct_access *access, struct task_struct *t)
{
	const struct cred *of_task = __task_cred(t);
	const struct cred *cred = access->cred;

	switch (access->level) {
	case TASKACCT_ACCESS_ALL:
	case TASKACCT_ACCESS_PID_NS:
		return true;
	case TASKACCT_ACCESS_USER_NS:
		return is_below(of_task->user_ns, access->user_ns);
	case TASKACCT_ACCESS_TRACEABLE:
		if (!READ_ONCE(taskacct_access_unprivileged))
			return false;
		return (same_ids(cred, of_task) && is_no_more(cred, of_task)) ||
		       may_trace_in(cred, of_task->user_ns);
	default:
		return false;
	}
}

/*
 * The program counts, too: a process that joins a container has the container's credentials
 * at once, and its old memory until it executes a program.
 */
static bool has_program(const struct taskacct_access *access,
			const struct taskacct_dumpable dumpable)
{
	if (dumpable.by_user)
		return true;
	switch (access->level) {
	case TASKACCT_ACCESS_ALL:
	case TASKACCT_ACCESS_PID_NS:
		return true;
	case TASKACCT_ACCESS_USER_NS:
		return is_below(dumpable.user_ns, access->user_ns);
	case TASKACCT_ACCESS_TRACEABLE:
		return may_trace_in(access->cred, dumpable.user_ns);
	default:
		return false;
	}
}

/**
 * taskacct_access_has_limited() - taskacct_access_has() where it is limited
 * @access: the access
 * @t: the task
 * @mm: its address space, kept by the caller, or NULL
 *
 * Only the execution of a program makes of a task that is accessible one that
 * knows what the asker may not.
 *
 * Context: any; @t is current in the exit hook, or locked by
 *	taskacct_access_lock().
 */
bool taskacct_access_has_limited(const struct taskacct_access *access,
				 struct task_struct *t, struct mm_struct *mm)
{
	bool has;

	if (!task_pid_nr_ns(t, access->view.pid_ns))
		return false;
	if (access->self && t->signal == access->self)
		return true;
	rcu_read_lock();
	has = has_cred(access, t);
	/*
	 * cred-before-dumpable: one that gives up its privileges is not dumpable any
	 * more by then.
	 * Pairs with the write barrier in the kernel's commit_creds().
	 */
	smp_rmb();
	has = has && has_program(access, taskacct_dumpable(t, mm));
	rcu_read_unlock();
	return has;
}

/* At its end a task has neither number nor program: what was kept of them decides. */
static bool has_kept(const struct taskacct_access *access,
		     const struct taskacct_kept *kept)
{
	const struct taskacct_dumpable dumpable = {
		.by_user = kept->dumpable,
		.user_ns = kept->user_ns,
	};
	bool has;

	if (!taskacct_kept_number(kept, TASKACCT_KEPT_PID, &access->view))
		return false;
	rcu_read_lock();
	has = has_cred(access, current) && has_program(access, dumpable) &&
	      (!kept->leader || has_cred(access, kept->leader));
	rcu_read_unlock();
	return has;
}

/**
 * taskacct_access_has_current() - taskacct_access_sees_exit() where it is limited
 * @access: the listener's
 * @kept: as for that
 *
 * Context: as for that.
 */
bool taskacct_access_has_current(const struct taskacct_access *access,
				 const struct taskacct_kept *kept)
{
	struct mm_struct *mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	struct task_struct *leader;

	if (kept)
		return has_kept(access, kept);
	if (taskacct_was_released(current))
		return false;
	leader = current->group_leader;
	/* What its process did is reported with the last thread. */
	return taskacct_access_has(access, current, mm) &&
	       (leader == current || taskacct_access_has(access, leader, mm));
}

/**
 * taskacct_access_users() - which users an asker may see
 * @only: receives INVALID_UID: of all; or the asker's own
 * @privileged: it has TASKACCT_PRIVILEGE_USERS in the initial user namespace
 * @extack: says why of none, or NULL
 *
 * Totals are of tasks all over the machine: in another pid namespace, where
 * those outside cannot be seen, not even one's own are shown.
 *
 * Context: the asker's task.
 * Return: 0, or -EPERM: of none at all.
 */
int taskacct_access_users(kuid_t *only, bool privileged,
			  struct netlink_ext_ack *extack)
{
	*only = INVALID_UID;
	if (taskacct_access_all_users)
		return 0;
	if (task_active_pid_ns(current) != &init_pid_ns) {
		NL_SET_ERR_MSG(extack,
			       "users are of the initial pid namespace");
		return -EPERM;
	}
	if (privileged)
		return 0;
	if (!READ_ONCE(taskacct_access_unprivileged)) {
		NL_SET_ERR_MSG(extack,
			       "needs CAP_SYS_PTRACE or CAP_PERFMON in the initial user namespace");
		return -EPERM;
	}
	*only = current_fsuid();
	return 0;
}

/**
 * taskacct_access_lock() - keep a task from executing another program
 * @access: on whose behalf
 * @t: the task, referenced
 *
 * A task that the asker has no right to is not locked: its user could make us wait. Nor
 * is one that is waited for without end, as whoever asks holds what all of
 * generic netlink may wait for, and the asker may have arranged it.
 *
 * Context: the request's task, may sleep.
 * Return: 0, for taskacct_access_unlock(); -EPERM; -EINTR if the asker is
 *	killed; -EBUSY if the task has been executing a program for too long.
 */
int taskacct_access_lock(struct taskacct_access *access, struct task_struct *t)
{
	bool may_have;

	might_sleep();
	rcu_read_lock();
	may_have = t->signal == access->self || has_cred(access, t);
	rcu_read_unlock();
	if (!may_have)
		return -EPERM;
	while (!down_read_trylock(&t->signal->exec_update_lock)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		if (access->retries == RETRIES)
			return -EBUSY;
		access->retries++;
		usleep_range(RETRY_US / 2, RETRY_US);
	}
	return 0;
}

/**
 * taskacct_access_unlock() - let a task execute programs again
 * @t: from taskacct_access_lock()
 *
 * Context: the request's task.
 */
void taskacct_access_unlock(struct task_struct *t)
{
	up_read(&t->signal->exec_update_lock);
}

/**
 * taskacct_access_allowed() - may the sender ask about any task?
 * @skb: the request
 * @extack: says why not
 *
 * All tasks are the machine's, not those of the network namespace that the
 * socket is in: the capability counts in the initial user namespace only. Both
 * the socket's opener and the sender need it.
 *
 * Return: 0 or -EPERM.
 */
int taskacct_access_allowed(const struct sk_buff *skb,
			    struct netlink_ext_ack *extack)
{
	if (taskacct_privilege_of_request(skb, TASKACCT_PRIVILEGE_TASKS,
					  &init_user_ns))
		return 0;
	NL_SET_ERR_MSG(extack,
		       "needs CAP_NET_ADMIN in the initial user namespace");
	return -EPERM;
}
