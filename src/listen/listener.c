// SPDX-License-Identifier: GPL-2.0-only
/*
 * A listener, from its making to its end, and what it asked for
 */

#include <linux/cred.h>
#include <linux/llist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "deliver.h"
#include "heard.h"
#include "listener.h"

struct taskacct_subscription taskacct_subscription_default = {
	.classic = true,
	.reach = {
		.level = TASKACCT_REACH_ALL,
		.view = TASKACCT_VIEW_INIT,
	},
};

/**
 * taskacct_subscription_free() - forget what was asked for
 * @sub: that, with its reach held; nobody reads it
 *
 * Context: any but NMI and hard interrupts.
 */
void taskacct_subscription_free(struct taskacct_subscription *sub)
{
	if (sub == &taskacct_subscription_default)
		return;
	taskacct_reach_drop(&sub->reach);
	kfree(sub);
}

static void free_sub_rcu(struct rcu_head *rcu)
{
	taskacct_subscription_free(container_of(rcu,
						struct taskacct_subscription,
						rcu));
}

/**
 * taskacct_listener_replace_sub() - a listener asks for something else
 * @listener: the listener
 * @sub: what it asks for from now on; consumed
 *
 * Context: task context, with taskacct_heard_mutex.
 */
void taskacct_listener_replace_sub(struct taskacct_listener *listener,
				   struct taskacct_subscription *sub)
{
	struct taskacct_subscription *old;

	old = rcu_replace_pointer(listener->sub, sub,
				  lockdep_is_held(&taskacct_heard_mutex));
	if (old != &taskacct_subscription_default)
		call_rcu(&old->rcu, free_sub_rcu);
}

/* Who pays for what current makes */
static void set_payer(struct taskacct_payer *payer)
{
	struct user_namespace *ns = current_user_ns();

	payer->ns = &init_user_ns;
	payer->uid = current_euid();
	if (ns != &init_user_ns) {
		while (ns->parent != &init_user_ns)
			ns = ns->parent;
		payer->uid = ns->owner;
		if (uid_eq(ns->owner, GLOBAL_ROOT_UID)) {
			payer->ns = ns;
			payer->uid = INVALID_UID;
		}
	}
	get_user_ns(payer->ns);
}

static void set_identity(struct taskacct_listener *listener, struct sock *sk,
			 u32 portid)
{
	sock_hold(sk);
	listener->sk = sk;
	set_payer(&listener->payer);
	listener->info.portid = portid;
	listener->info.netns = sock_net(sk)->ns.inum;
	listener->info.pid = task_tgid_nr(current);
	listener->info.own_pid = task_tgid_vnr(current);
	get_task_comm(listener->info.comm, current);
}

/**
 * taskacct_listener_new() - make a listener
 * @sk: its socket
 * @portid: the socket's port
 *
 * Context: task context of the socket's user, may sleep.
 * Return: a listener that nobody finds yet and that hears nothing, or NULL.
 */
struct taskacct_listener *taskacct_listener_new(struct sock *sk, u32 portid)
{
	struct taskacct_listener *listener;

	listener = kzalloc(sizeof(*listener), GFP_KERNEL_ACCOUNT);
	if (!listener)
		return NULL;
	if (!zalloc_cpumask_var(&listener->mask, GFP_KERNEL_ACCOUNT))
		goto err_mask;
	if (!zalloc_cpumask_var(&listener->gap_mask, GFP_KERNEL_ACCOUNT))
		goto err_gap_mask;
	if (!zalloc_cpumask_var(&listener->missed_mask, GFP_KERNEL_ACCOUNT))
		goto err_missed_mask;
	if (!zalloc_cpumask_var(&listener->batch.cpus, GFP_KERNEL_ACCOUNT))
		goto err_batch_cpus;
	RCU_INIT_POINTER(listener->sub, &taskacct_subscription_default);
	taskacct_listener_begin(listener);
	set_identity(listener, sk, portid);
	return listener;

err_batch_cpus:
	free_cpumask_var(listener->missed_mask);
err_missed_mask:
	free_cpumask_var(listener->gap_mask);
err_gap_mask:
	free_cpumask_var(listener->mask);
err_mask:
	kfree(listener);
	return NULL;
}

/**
 * taskacct_listener_free() - free a listener
 * @listener: the listener; nobody finds it any more
 *
 * Context: task context, may sleep.
 */
void taskacct_listener_free(struct taskacct_listener *listener)
{
	taskacct_listener_stop(listener);
	sock_put(listener->sk);
	taskacct_subscription_free(rcu_dereference_protected(listener->sub,
							     true));
	put_user_ns(listener->payer.ns);
	free_cpumask_var(listener->batch.cpus);
	free_cpumask_var(listener->missed_mask);
	free_cpumask_var(listener->gap_mask);
	free_cpumask_var(listener->mask);
	kfree(listener);
}

/* Listeners that nobody finds any more */
static LLIST_HEAD(left);

static void free_left(struct work_struct *work)
{
	struct taskacct_listener *listener, *next;

	llist_for_each_entry_safe(listener, next, llist_del_all(&left), freed)
		taskacct_listener_free(listener);
}

static DECLARE_WORK(free_left_work, free_left);

/*
 * The last reference to a socket ends a dump that was not read, which sleeps on
 * kernels before November 2024.
 */
static void free_listener_rcu(struct rcu_head *rcu)
{
	struct taskacct_listener *listener =
		container_of(rcu, struct taskacct_listener, rcu);

	llist_add(&listener->freed, &left);
	schedule_work(&free_left_work);
}

/**
 * taskacct_listener_free_later() - free a listener when no exit finds it any more
 * @listener: the listener, which is heard nowhere
 *
 * Context: task context.
 */
void taskacct_listener_free_later(struct taskacct_listener *listener)
{
	call_rcu(&listener->rcu, free_listener_rcu);
}

/**
 * taskacct_listener_wait() - wait until all are freed that are to be
 *
 * Context: task context, may sleep.
 */
void taskacct_listener_wait(void)
{
	/* free_listener_rcu() and free_sub_rcu() are our code. */
	rcu_barrier();
	flush_work(&free_left_work);
}
