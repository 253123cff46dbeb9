// SPDX-License-Identifier: GPL-2.0-only
/*
 * Listeners: who registers and deregisters, and who asks about all of them
 *
 * A listener is a socket, not a port number: records go straight into the
 * queue of the socket that registered, in whichever network namespace it is,
 * and no other socket can come to stand in its place. The listener ends when
 * the socket is released.
 *
 * Lock order: taskacct_listeners_mutex, then taskacct_listener.lock, then the
 * socket's queue lock.
 *
 * All of generic netlink may wait for whoever holds the mutex, as may a socket
 * that is closed: nothing is waited for under it.
 */

#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <net/sock.h>

#include "cpu_listeners.h"
#include "listener.h"
#include "listeners.h"
#include "queue.h"

/* Under taskacct_listeners_mutex; how many there are may be read without it. */
static LIST_HEAD(listeners);
static unsigned int nr_listeners;

/*
 * How many listeners there are by port, so that the release of a socket that
 * never was one need not wait for the mutex. Changed under it.
 */
#define PORT_BITS 10
static atomic_t at_port[1 << PORT_BITS];

/* How many listeners unprivileged users may have, together and each */
#define UNPRIVILEGED_MAX		64
#define UNPRIVILEGED_PER_PAYER 16

static unsigned long last_id;

static bool is_default(const struct taskacct_subscription *sub)
{
	return sub == &taskacct_subscription_default;
}

/*
 * Adds CPUs to a listener, and replaces its subscription unless @sub is the default. All
 * memory is allocated before anything changes.
 */
static int listen_on_cpus(struct taskacct_listener *listener, const struct cpumask *mask,
			  struct taskacct_subscription *sub)
{
	const bool was_extended = !is_default(taskacct_listener_sub(listener));
	const bool extended = !is_default(sub) || was_extended;
	struct taskacct_cpu_listeners **cpu_listeners;

	lockdep_assert_held(&taskacct_listeners_mutex);

	/* Keep the entry where its kind does not change. */
	cpu_listeners = taskacct_cpu_listeners_make(listener, extended, mask,
						    extended == was_extended ? listener->mask :
									       NULL);
	if (!cpu_listeners)
		return -ENOMEM;
	taskacct_queue_hurry(listener, false);
	/* Who finds it in the new arrays finds the new subscription. */
	if (!is_default(sub))
		taskacct_listener_replace_sub(listener, sub);
	taskacct_cpu_listeners_use(cpu_listeners);
	cpumask_or(listener->mask, listener->mask, mask);
	return 0;
}

static atomic_t *count_at(u32 portid)
{
	return &at_port[hash_32(portid, PORT_BITS)];
}

static struct taskacct_listener *find_listener(const struct sock *sk)
{
	struct taskacct_listener *listener;

	lockdep_assert_held(&taskacct_listeners_mutex);

	list_for_each_entry(listener, &listeners, node)
		if (listener->sk == sk)
			return listener;
	return NULL;
}

static void add_listener(struct taskacct_listener *listener)
{
	lockdep_assert_held(&taskacct_listeners_mutex);

	listener->id = ++last_id;
	list_add_tail(&listener->node, &listeners);
	atomic_inc(count_at(listener->info.portid));
	WRITE_ONCE(nr_listeners, nr_listeners + 1);
}

static void destroy_listener(struct taskacct_listener *listener)
{
	lockdep_assert_held(&taskacct_listeners_mutex);

	taskacct_cpu_listeners_drop(listener, listener->mask);
	list_del(&listener->node);
	atomic_dec(count_at(listener->info.portid));
	WRITE_ONCE(nr_listeners, nr_listeners - 1);
	taskacct_queue_end(listener);
	taskacct_listener_free_later(listener);
}

/*
 * Every exit on a listener's CPUs runs an access check for that listener, so
 * those of users without the capability are limited, for each and for all.
 */
static int check_unprivileged(const struct taskacct_listener *listener,
			      struct netlink_ext_ack *extack)
{
	const struct taskacct_listener *other;
	const struct taskacct_subscription *sub;
	unsigned int all = 0, own = 0;

	list_for_each_entry(other, &listeners, node) {
		sub = taskacct_listener_sub(other);
		if (other == listener || !taskacct_access_is_unprivileged(&sub->access))
			continue;
		all++;
		own += taskacct_payer_is_same(&other->payer,
					      &listener->payer);
	}
	if (all < UNPRIVILEGED_MAX && own < UNPRIVILEGED_PER_PAYER)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "there are too many listeners without CAP_NET_ADMIN");
	return -EUSERS;
}

/* Keep the previous subscription and CPUs; recompute the access rights. */
static void take_over(struct taskacct_subscription *sub, struct cpumask *mask,
		      const struct taskacct_listener *listener)
{
	const struct taskacct_subscription *old = taskacct_listener_sub(listener);

	cpumask_or(mask, mask, listener->mask);
	sub->classic = old->classic;
	sub->want = old->want;
	sub->filter = old->filter;
	sub->batch_bytes = old->batch_bytes;
	sub->batch_wait = old->batch_wait;
}

static int set_subscription(struct taskacct_listener *listener, struct cpumask *mask,
			    struct taskacct_subscription *sub,
			    struct netlink_ext_ack *extack)
{
	int err = 0;

	if (sub->classic && !is_default(sub))
		take_over(sub, mask, listener);
	if (taskacct_access_is_unprivileged(&sub->access))
		err = check_unprivileged(listener, extack);
	if (!err)
		err = listen_on_cpus(listener, mask, sub);
	if (!err && !is_default(sub)) {
		taskacct_queue_flush(listener);
		taskacct_cpu_listeners_keep(listener, mask);
	}
	return err;
}

/**
 * taskacct_listeners_register() - register a socket for CPUs
 * @sk: a netlink socket, bound and not released
 * @portid: its port
 * @mask: possible CPUs; may be extended by those that it is registered for already
 * @sub: the default: only add the CPUs. Else the new subscription, for these CPUs and no
 *	others; if it is classic the CPUs are added and only the access rights are replaced.
 *	Consumed on success
 * @extack: says why not
 *
 * Context: task context of the socket's user, may sleep.
 * Return: 0; or -ENOMEM, -EUSERS, or -EINTR if the asker is killed, and nothing
 *	has changed.
 */
int taskacct_listeners_register(struct sock *sk, u32 portid,
				struct cpumask *mask,
				struct taskacct_subscription *sub,
				struct netlink_ext_ack *extack)
{
	struct taskacct_listener *listener, *new;
	int err = -EINTR;

	might_sleep();
	/* For a first registration; without the mutex it may wait for memory. */
	new = taskacct_listener_new(sk, portid);
	if (!new)
		return -ENOMEM;
	if (mutex_lock_killable(&taskacct_listeners_mutex))
		goto out;
	listener = find_listener(sk);
	err = set_subscription(listener ?: new, mask, sub, extack);
	if (!err && !listener) {
		add_listener(new);
		new = NULL;
	}
	mutex_unlock(&taskacct_listeners_mutex);
out:
	if (new)
		taskacct_listener_free(new);
	return err;
}

/**
 * taskacct_listeners_deregister() - deregister a socket from CPUs
 * @sk: a netlink socket
 * @mask: CPUs, all of them possible
 * @extack: says why not
 *
 * The listener stays, with its statistics, until its socket is released.
 *
 * The batch is sent. If no CPU is left, exits that are under way are not batched.
 *
 * Context: task context, may sleep.
 * Return: 0; -ENOENT if the socket listens to none of these CPUs, or -EINTR if the
 *	asker is killed, and nothing has changed.
 */
int taskacct_listeners_deregister(struct sock *sk, const struct cpumask *mask,
				  struct netlink_ext_ack *extack)
{
	struct taskacct_listener *listener;
	int err = 0;

	might_sleep();
	if (mutex_lock_killable(&taskacct_listeners_mutex))
		return -EINTR;
	listener = find_listener(sk);
	if (listener && cpumask_intersects(mask, listener->mask)) {
		taskacct_cpu_listeners_drop(listener, mask);
		taskacct_queue_hurry(listener,
				     cpumask_empty(listener->mask));
	} else {
		NL_SET_ERR_MSG(extack,
			       "this socket is registered for none of these CPUs");
		err = -ENOENT;
	}
	mutex_unlock(&taskacct_listeners_mutex);
	return err;
}

/**
 * taskacct_listeners_count() - how many sockets are listeners now
 *
 * A socket that is counted is registered already.
 *
 * Return: their number.
 */
unsigned int taskacct_listeners_count(void)
{
	return READ_ONCE(nr_listeners);
}

static int tell_about(struct taskacct_listener *listener,
		      int (*tell)(const struct taskacct_listener_info *info,
				  void *data),
		      void *data)
{
	struct taskacct_listener_info info;

	taskacct_queue_statistics(listener, &info);
	info.mask = listener->mask;
	info.sub = taskacct_listener_sub(listener);
	return tell(&info, data);
}

/**
 * taskacct_listeners_get() - report one listener
 * @sk: its socket
 * @tell: called once, may sleep
 * @data: given to @tell
 *
 * Context: task context, may sleep.
 * Return: what @tell returned, -ENOENT if @sk is not a listener, or -EINTR if the
 *	asker is killed.
 */
int taskacct_listeners_get(struct sock *sk,
			   int (*tell)(const struct taskacct_listener_info *info,
				       void *data),
			   void *data)
{
	struct taskacct_listener *listener;
	int ret = -ENOENT;

	might_sleep();
	if (mutex_lock_killable(&taskacct_listeners_mutex))
		return -EINTR;
	listener = find_listener(sk);
	if (listener)
		ret = tell_about(listener, tell, data);
	mutex_unlock(&taskacct_listeners_mutex);
	return ret;
}

/**
 * taskacct_listeners_dump() - report all listeners, in parts
 * @next: where to begin, 0 at first; then where to go on. Listeners that come
 *	and go between the parts do not make others appear twice or not at all
 * @tell: called for each until it returns an error, may sleep
 * @data: given to @tell
 *
 * Context: task context, may sleep.
 * Return: 0 after the last one, the error that @tell returned, or -EINTR if the
 *	asker is killed.
 */
int taskacct_listeners_dump(unsigned long *next,
			    int (*tell)(const struct taskacct_listener_info *info,
					void *data),
			    void *data)
{
	struct taskacct_listener *listener;
	int ret = 0;

	might_sleep();
	if (mutex_lock_killable(&taskacct_listeners_mutex))
		return -EINTR;
	list_for_each_entry(listener, &listeners, node) {
		if (listener->id < *next)
			continue;
		ret = tell_about(listener, tell, data);
		if (ret)
			break;
		*next = listener->id + 1;
	}
	mutex_unlock(&taskacct_listeners_mutex);
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
	/* It registered, if it did, before this: a socket in use is not released. */
	if (!atomic_read(count_at(notify->portid)))
		return NOTIFY_DONE;

	mutex_lock(&taskacct_listeners_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node)
		if (sock_flag(listener->sk, SOCK_DEAD))
			destroy_listener(listener);
	mutex_unlock(&taskacct_listeners_mutex);
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

	mutex_lock(&taskacct_listeners_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node) {
		listener->sk->sk_err = ENODEV;
		listener->sk->sk_error_report(listener->sk);
		destroy_listener(listener);
	}
	mutex_unlock(&taskacct_listeners_mutex);
	taskacct_listener_wait();
}
