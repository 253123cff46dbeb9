// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners, from registration to the end
 *
 * A listener is a socket, not a port number: records go straight into the
 * queue of the socket that registered, in whichever network namespace it is,
 * and no other socket can come to stand in its place. The listener ends when
 * the socket is released.
 *
 * Lock order: taskacct_heard_mutex or taskacct_group.sending, then
 * taskacct_share.lock, then taskacct_listener.lock, then the socket's queue
 * lock.
 */

#include <linux/cred.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "heard.h"
#include "listener.h"
#include "share.h"

/* These two are under taskacct_heard_mutex. */
static LIST_HEAD(listeners);
static unsigned int nr_listeners;

/* How many listeners there may be of those who are no administrators */
#define GUESTS		64
#define GUESTS_PER_USER	16

static unsigned long last_id;

/**
 * taskacct_subscription_free() - forget what was asked for
 * @sub: that, with its reach held; nobody reads it. May be NULL
 *
 * Context: any but NMI and hard interrupts.
 */
void taskacct_subscription_free(struct taskacct_subscription *sub)
{
	if (!sub)
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

static void replace_sub(struct taskacct_listener *listener,
			struct taskacct_subscription *sub)
{
	struct taskacct_subscription *old;

	old = rcu_replace_pointer(listener->sub, sub,
				  lockdep_is_held(&taskacct_heard_mutex));
	if (old)
		call_rcu(&old->rcu, free_sub_rcu);
}

/*
 * Has a listener that shares with nobody hear CPUs, and replaces what it asks
 * for unless @sub is NULL. That needs memory: all of it is there before
 * anything changes.
 */
static int hear(struct taskacct_listener *listener, const struct cpumask *mask,
		struct taskacct_subscription *sub)
{
	const bool was_extended = rcu_access_pointer(listener->sub);
	const bool extended = sub || was_extended;
	const struct taskacct_heard_change change = {
		.out = listener,
		.last = taskacct_heard_place(listener, NULL, extended),
	};
	struct taskacct_heard **heard;

	lockdep_assert_held(&taskacct_heard_mutex);

	/* Where it is heard as what it is going to be it stays. */
	heard = taskacct_heard_make(&change, mask,
				    extended == was_extended ? listener->mask :
							       NULL);
	if (!heard)
		return -ENOMEM;
	/* Those who find it in the new arrays find what it asks for. */
	if (sub)
		replace_sub(listener, sub);
	taskacct_heard_use(heard);
	cpumask_or(listener->mask, listener->mask, mask);
	return 0;
}

static struct taskacct_listener *find_like(const struct taskacct_listener *l)
{
	struct taskacct_listener *other;

	list_for_each_entry(other, &listeners, node)
		if (other != l && taskacct_share_is_like(l, other))
			return other;
	return NULL;
}

static struct taskacct_listener *find_listener(const struct sock *sk)
{
	struct taskacct_listener *listener;

	lockdep_assert_held(&taskacct_heard_mutex);

	list_for_each_entry(listener, &listeners, node)
		if (listener->sk == sk)
			return listener;
	return NULL;
}

static struct taskacct_listener *create_listener(struct sock *sk, u32 portid)
{
	struct taskacct_listener *listener;

	lockdep_assert_held(&taskacct_heard_mutex);

	listener = kzalloc(sizeof(*listener), GFP_KERNEL);
	if (!listener)
		return NULL;
	if (!zalloc_cpumask_var(&listener->mask, GFP_KERNEL))
		goto err_mask;
	if (!zalloc_cpumask_var(&listener->gap_mask, GFP_KERNEL))
		goto err_gap_mask;
	if (!zalloc_cpumask_var(&listener->batch.cpus, GFP_KERNEL))
		goto err_batch_cpus;
	taskacct_listener_begin(listener);
	sock_hold(sk);
	listener->sk = sk;
	listener->id = ++last_id;
	listener->info.portid = portid;
	listener->info.netns = sock_net(sk)->ns.inum;
	listener->info.pid = task_tgid_nr(current);
	listener->info.own_pid = task_tgid_vnr(current);
	listener->info.owner = current_euid();
	get_task_comm(listener->info.comm, current);
	list_add_tail(&listener->node, &listeners);
	nr_listeners++;
	return listener;

err_batch_cpus:
	free_cpumask_var(listener->gap_mask);
err_gap_mask:
	free_cpumask_var(listener->mask);
err_mask:
	kfree(listener);
	return NULL;
}

static void free_listener(struct taskacct_listener *listener)
{
	sock_put(listener->sk);
	taskacct_subscription_free(rcu_dereference_protected(listener->sub,
							     true));
	free_cpumask_var(listener->batch.cpus);
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
		free_listener(listener);
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

static void destroy_listener(struct taskacct_listener *listener)
{
	lockdep_assert_held(&taskacct_heard_mutex);

	taskacct_share_leave(listener);
	taskacct_heard_drop(listener, listener->mask);
	list_del(&listener->node);
	nr_listeners--;
	taskacct_listener_end(listener);
	call_rcu(&listener->rcu, free_listener_rcu);
}

/*
 * Each listener costs every exit on its CPUs, whoever's, that it is looked
 * whether it may hear of it.
 */
static int check_guests(const struct taskacct_listener *listener,
			struct netlink_ext_ack *extack)
{
	const struct taskacct_listener *other;
	const struct taskacct_subscription *sub;
	unsigned int all = 0, own = 0;

	list_for_each_entry(other, &listeners, node) {
		sub = taskacct_listener_sub(other);
		if (other == listener || !sub ||
		    !taskacct_reach_is_guest(&sub->reach))
			continue;
		all++;
		own += uid_eq(other->info.owner, listener->info.owner);
	}
	if (all < GUESTS && own < GUESTS_PER_USER)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "there are too many listeners without CAP_NET_ADMIN");
	return -EUSERS;
}

/* What a listener has asked for, and hears, goes on; its reach may not. */
static void take_over(struct taskacct_subscription *sub, struct cpumask *mask,
		      const struct taskacct_listener *listener)
{
	const struct taskacct_subscription *old = taskacct_listener_sub(listener);

	cpumask_or(mask, mask, listener->mask);
	if (!old)
		return;
	sub->classic = old->classic;
	sub->want = old->want;
	sub->filter = old->filter;
	sub->batch_bytes = old->batch_bytes;
	sub->batch_wait = old->batch_wait;
}

static int subscribe(struct taskacct_listener *listener, struct cpumask *mask,
		     struct taskacct_subscription *sub,
		     struct netlink_ext_ack *extack)
{
	struct taskacct_listener *like;
	int err = 0;

	if (sub && sub->classic)
		take_over(sub, mask, listener);
	if (sub && taskacct_reach_is_guest(&sub->reach))
		err = check_guests(listener, extack);
	if (!err)
		err = taskacct_share_part(listener);
	if (!err)
		err = hear(listener, mask, sub);
	if (!err && sub) {
		taskacct_listener_flush(listener);
		taskacct_heard_keep(listener, mask);
	}
	/* Also if it goes on as it was */
	like = find_like(listener);
	if (like)
		taskacct_share_join(listener, like);
	return err;
}

/**
 * taskacct_listeners_register() - let a socket hear CPUs
 * @sk: a netlink socket, bound and not released
 * @portid: its port
 * @mask: CPUs, all of them possible; may receive those that it hears already
 * @sub: NULL: the CPUs are added to those that it hears already; else what it
 *	asks for from now on, of these CPUs and no others. If that is nothing
 *	the CPUs are added, and only its reach is new. Consumed on success
 * @extack: told why not
 *
 * Context: task context of the socket's user, may sleep.
 * Return: 0, or -ENOMEM or -EUSERS and nothing has changed.
 */
int taskacct_listeners_register(struct sock *sk, u32 portid,
				struct cpumask *mask,
				struct taskacct_subscription *sub,
				struct netlink_ext_ack *extack)
{
	struct taskacct_listener *listener;
	bool new = false;
	int err = -ENOMEM;

	might_sleep();
	mutex_lock(&taskacct_heard_mutex);
	listener = find_listener(sk);
	if (!listener) {
		listener = create_listener(sk, portid);
		new = true;
	}
	if (!listener)
		goto out;
	err = subscribe(listener, mask, sub, extack);
	if (err && new)
		destroy_listener(listener);
out:
	mutex_unlock(&taskacct_heard_mutex);
	return err;
}

/*
 * Whoever deregisters takes leave: what waits for a datagram to be full is sent
 * now, that of exits which are on their way included.
 */
static void end_waiting(struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub =
		taskacct_listener_sub(listener);

	if (!sub || !sub->batch_bytes)
		return;
	synchronize_rcu();
	taskacct_listener_flush(listener);
}

/**
 * taskacct_listeners_deregister() - let a socket hear CPUs no more
 * @sk: a netlink socket
 * @mask: CPUs, all of them possible
 * @extack: told why not
 *
 * The listener stays, with its figures, until its socket is released.
 *
 * Context: task context, may sleep.
 * Return: 0; -ENOENT if the socket hears none of these CPUs, or -ENOMEM, and
 *	nothing has changed.
 */
int taskacct_listeners_deregister(struct sock *sk, const struct cpumask *mask,
				  struct netlink_ext_ack *extack)
{
	struct taskacct_listener *listener;
	int err;

	might_sleep();
	mutex_lock(&taskacct_heard_mutex);
	listener = find_listener(sk);
	if (listener && cpumask_intersects(mask, listener->mask)) {
		err = taskacct_share_part(listener);
		if (!err) {
			taskacct_heard_drop(listener, mask);
			end_waiting(listener);
		}
	} else {
		NL_SET_ERR_MSG(extack,
			       "this socket is registered for none of these CPUs");
		err = -ENOENT;
	}
	mutex_unlock(&taskacct_heard_mutex);
	return err;
}

/**
 * taskacct_listeners_count() - how many sockets are listeners now
 *
 * One that is counted hears already.
 *
 * Context: task context, may sleep.
 * Return: their number.
 */
unsigned int taskacct_listeners_count(void)
{
	unsigned int count;

	might_sleep();
	mutex_lock(&taskacct_heard_mutex);
	count = nr_listeners;
	mutex_unlock(&taskacct_heard_mutex);
	return count;
}

static int tell_about(struct taskacct_listener *listener,
		      int (*tell)(const struct taskacct_listener_info *info,
				  void *data),
		      void *data)
{
	struct taskacct_listener_info info;

	if (listener->share)
		taskacct_share_figures(listener, &info);
	else
		taskacct_listener_figures(listener, &info);
	info.mask = listener->mask;
	info.sub = taskacct_listener_sub(listener);
	return tell(&info, data);
}

/**
 * taskacct_listeners_get() - tell about one listener
 * @sk: its socket
 * @tell: called once, may sleep
 * @data: given to @tell
 *
 * Context: task context, may sleep.
 * Return: what @tell returned, or -ENOENT if @sk is not a listener.
 */
int taskacct_listeners_get(struct sock *sk,
			   int (*tell)(const struct taskacct_listener_info *info,
				       void *data),
			   void *data)
{
	struct taskacct_listener *listener;
	int ret = -ENOENT;

	might_sleep();
	mutex_lock(&taskacct_heard_mutex);
	listener = find_listener(sk);
	if (listener)
		ret = tell_about(listener, tell, data);
	mutex_unlock(&taskacct_heard_mutex);
	return ret;
}

/**
 * taskacct_listeners_dump() - tell about all listeners, in parts
 * @next: where to begin, 0 at first; then where to go on. Listeners that come
 *	and go between the parts do not make others appear twice or not at all
 * @tell: called for each until it returns an error, may sleep
 * @data: given to @tell
 *
 * Context: task context, may sleep.
 * Return: 0 after the last one, or the error that @tell returned.
 */
int taskacct_listeners_dump(unsigned long *next,
			    int (*tell)(const struct taskacct_listener_info *info,
					void *data),
			    void *data)
{
	struct taskacct_listener *listener;
	int ret = 0;

	might_sleep();
	mutex_lock(&taskacct_heard_mutex);
	list_for_each_entry(listener, &listeners, node) {
		if (listener->id < *next)
			continue;
		ret = tell_about(listener, tell, data);
		if (ret)
			break;
		*next = listener->id + 1;
	}
	mutex_unlock(&taskacct_heard_mutex);
	return ret;
}

/*
 * Comes after the socket was unlinked and orphaned. By then another socket may
 * have the same port and be a listener, so that the port says nothing: those
 * sockets are meant that are dead.
 */
static int on_release(struct notifier_block *nb, unsigned long event,
		      void *data)
{
	const struct netlink_notify *notify = data;
	struct taskacct_listener *listener, *next;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;

	mutex_lock(&taskacct_heard_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node)
		if (sock_flag(listener->sk, SOCK_DEAD))
			destroy_listener(listener);
	mutex_unlock(&taskacct_heard_mutex);
	return NOTIFY_OK;
}

static struct notifier_block release_notifier = {
	.notifier_call = on_release,
};

/**
 * taskacct_listeners_init() - begin to notice sockets that are released
 *
 * Context: task context, may sleep.
 * Return: 0 or an error.
 */
int taskacct_listeners_init(void)
{
	return netlink_register_notifier(&release_notifier);
}

/**
 * taskacct_listeners_exit() - end all listeners
 *
 * Each socket gets the error ENODEV, so that nobody waits for records that
 * will never come.
 *
 * Context: task context, may sleep; no hook is running or will run, and the
 *	family is gone.
 */
void taskacct_listeners_exit(void)
{
	struct taskacct_listener *listener, *next;

	netlink_unregister_notifier(&release_notifier);

	mutex_lock(&taskacct_heard_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node) {
		listener->sk->sk_err = ENODEV;
		listener->sk->sk_error_report(listener->sk);
		destroy_listener(listener);
	}
	mutex_unlock(&taskacct_heard_mutex);

	/* free_listener_rcu() and free_sub_rcu() are our code. */
	rcu_barrier();
	flush_work(&free_left_work);
}
