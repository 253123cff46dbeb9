// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who hears which CPUs
 *
 * A listener is a socket, not a port number: records go straight into the
 * queue of the socket that registered, in whichever network namespace it is,
 * and no other socket can come to stand in its place. The listener ends when
 * the socket is released.
 *
 * Each CPU has an array of those who hear it, read under RCU by exiting tasks.
 * It is replaced to add a listener; to take one away its place is cleared,
 * which cannot fail. Since there is one for every possible CPU, CPUs go and
 * come without any of this noticing.
 *
 * Listeners that want exactly the same, in batches, have one place together.
 * Who comes to share it, and who parts to want something else, does so in new
 * arrays, so that each exit is told to each of them once.
 *
 * Lock order: listeners_mutex or taskacct_group.sending, then
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

#include "listener.h"

DEFINE_PER_CPU(struct taskacct_heard __rcu *, taskacct_heard);

/*
 * Protects the list, every mask and changes to the arrays. May be taken under
 * genl's own locks and in a socket's release.
 */
static DEFINE_MUTEX(listeners_mutex);
static LIST_HEAD(listeners);
static unsigned int nr_listeners;

/* How many listeners there may be of those who are no administrators */
#define GUESTS		64
#define GUESTS_PER_USER	16

static unsigned long last_id;

static struct taskacct_heard *heard_on(unsigned int cpu)
{
	return rcu_dereference_protected(per_cpu(taskacct_heard, cpu),
					 lockdep_is_held(&listeners_mutex));
}

static void replace_heard(unsigned int cpu, struct taskacct_heard *heard)
{
	struct taskacct_heard *old = heard_on(cpu);

	rcu_assign_pointer(per_cpu(taskacct_heard, cpu), heard);
	if (old)
		kfree_rcu(old, rcu);
}

static struct taskacct_listener *heard_by(const struct taskacct_heard *heard,
					  unsigned int i)
{
	return rcu_dereference_protected(heard->by[i].listener,
					 lockdep_is_held(&listeners_mutex));
}

/**
 * struct change - what becomes of an array
 * @from: listener whose place changes, or NULL
 * @to: what comes there; of no listener: nothing
 * @out: listener whose place goes, or NULL
 * @last: what comes to the end; of no listener: nothing
 */
struct change {
	const struct taskacct_listener *from;
	struct taskacct_hearer to;
	const struct taskacct_listener *out;
	struct taskacct_hearer last;
};

/* A place of its own, or one for all who share it */
static struct taskacct_hearer place_of(struct taskacct_listener *listener,
				       struct taskacct_share *share,
				       bool extended)
{
	struct taskacct_hearer place = {
		.share = share,
		.extended = extended,
	};

	RCU_INIT_POINTER(place.listener, listener);
	return place;
}

static void put_place(struct taskacct_heard *heard,
		      const struct taskacct_hearer *place)
{
	if (rcu_access_pointer(place->listener))
		heard->by[heard->n++] = *place;
}

static void change_place(struct taskacct_heard *heard,
			 const struct taskacct_heard *old, unsigned int i,
			 const struct change *change)
{
	const struct taskacct_listener *listener = heard_by(old, i);

	if (!listener || listener == change->out)
		return;
	put_place(heard, listener == change->from ? &change->to : &old->by[i]);
}

static struct taskacct_heard *change_heard(const struct taskacct_heard *old,
					   const struct change *change,
					   unsigned int cpu)
{
	unsigned int i, n = old ? old->n : 0;
	struct taskacct_heard *heard;

	heard = kmalloc_node(struct_size(heard, by, n + 1), GFP_KERNEL,
			     cpu_to_node(cpu));
	if (!heard)
		return NULL;
	heard->n = 0;
	for (i = 0; i < n; i++)
		change_place(heard, old, i, change);
	put_place(heard, &change->last);
	return heard;
}

static void free_arrays(struct taskacct_heard **heard)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		kfree(heard[cpu]);
	kvfree(heard);
}

/* New arrays for some CPUs, but not for others; NULL: there is no memory */
static struct taskacct_heard **make_arrays(const struct change *change,
					   const struct cpumask *mask,
					   const struct cpumask *but)
{
	struct taskacct_heard **heard;
	unsigned int cpu;

	heard = kvcalloc(nr_cpu_ids, sizeof(*heard), GFP_KERNEL);
	if (!heard)
		return NULL;
	for_each_cpu(cpu, mask) {
		if (but && cpumask_test_cpu(cpu, but))
			continue;
		heard[cpu] = change_heard(heard_on(cpu), change, cpu);
		if (!heard[cpu]) {
			free_arrays(heard);
			return NULL;
		}
	}
	return heard;
}

/* Consumes the arrays. */
static void use_arrays(struct taskacct_heard **heard)
{
	unsigned int cpu;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		if (heard[cpu])
			replace_heard(cpu, heard[cpu]);
	kvfree(heard);
}

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
				  lockdep_is_held(&listeners_mutex));
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
	const struct change change = {
		.out = listener,
		.last = place_of(listener, NULL, extended),
	};
	struct taskacct_heard **heard;

	lockdep_assert_held(&listeners_mutex);

	/* Where it is heard as what it is going to be it stays. */
	heard = make_arrays(&change, mask,
			    extended == was_extended ? listener->mask : NULL);
	if (!heard)
		return -ENOMEM;
	/* Those who find it in the new arrays find what it asks for. */
	if (sub)
		replace_sub(listener, sub);
	use_arrays(heard);
	cpumask_or(listener->mask, listener->mask, mask);
	return 0;
}

static void hear_no_more_on(struct taskacct_listener *listener,
			    unsigned int cpu)
{
	struct taskacct_heard *heard = heard_on(cpu);
	unsigned int i, left = 0;

	for (i = 0; i < heard->n; i++) {
		if (heard_by(heard, i) == listener)
			RCU_INIT_POINTER(heard->by[i].listener, NULL);
		else if (heard_by(heard, i))
			left++;
	}
	if (!left)
		replace_heard(cpu, NULL);
}

static void hear_no_more(struct taskacct_listener *listener,
			 const struct cpumask *mask)
{
	unsigned int cpu;

	lockdep_assert_held(&listeners_mutex);

	for_each_cpu_and(cpu, mask, listener->mask)
		hear_no_more_on(listener, cpu);
	cpumask_andnot(listener->mask, listener->mask, mask);
}

static struct taskacct_subscription *sub_of(const struct taskacct_listener *l)
{
	return rcu_dereference_protected(l->sub,
					 lockdep_is_held(&listeners_mutex));
}

/* It is told nothing, and has no say, that others are not or have not. */
static bool can_share(const struct taskacct_subscription *sub)
{
	return sub && sub->batch_bytes && !sub->reach.limited &&
	       !(sub->want & TASKACCT_WANT_STREAM) &&
	       taskacct_filter_is_common(&sub->filter);
}

static bool is_like(const struct taskacct_listener *listener,
		    const struct taskacct_listener *other)
{
	const struct taskacct_subscription *sub = sub_of(listener);
	const struct taskacct_subscription *as = sub_of(other);

	return can_share(sub) && can_share(as) && sub->want == as->want &&
	       sub->batch_bytes == as->batch_bytes &&
	       sub->batch_wait == as->batch_wait &&
	       !memcmp(&sub->filter, &as->filter, sizeof(sub->filter)) &&
	       cpumask_equal(listener->mask, other->mask);
}

static struct taskacct_listener *find_like(const struct taskacct_listener *l)
{
	struct taskacct_listener *other;

	list_for_each_entry(other, &listeners, node)
		if (other != l && is_like(l, other))
			return other;
	return NULL;
}

/* The one whose place in the arrays is that of all; NULL: all have left */
static struct taskacct_listener *first_of(const struct taskacct_share *share)
{
	unsigned int i;

	for (i = 0; i < share->n; i++)
		if (share->by[i])
			return share->by[i];
	return NULL;
}

/*
 * All who share with a listener, or it alone, without @but and with @more, who
 * may be NULL
 */
static struct taskacct_share *gather(struct taskacct_listener *listener,
				     const struct taskacct_listener *but,
				     struct taskacct_listener *more)
{
	const struct taskacct_share *old = listener->share;
	struct taskacct_share *share;
	unsigned int i;

	share = taskacct_share_new(old ? old->n + 1 : 2);
	if (!share)
		return NULL;
	share->n = 0;
	for (i = 0; old && i < old->n; i++)
		if (old->by[i] && old->by[i] != but)
			share->by[share->n++] = old->by[i];
	if (!old)
		share->by[share->n++] = listener;
	if (more)
		share->by[share->n++] = more;
	return share;
}

static void set_share(struct taskacct_share *share)
{
	unsigned int i;

	for (i = 0; i < share->n; i++)
		share->by[i]->share = share;
}

/*
 * Lets a listener share its batches with one that wants the same, if there is
 * one. Without memory for that it goes on without.
 */
static void share_batches(struct taskacct_listener *listener)
{
	struct taskacct_listener *other = find_like(listener);
	struct taskacct_share *old, *share;
	struct taskacct_heard **heard;
	struct change change;

	if (!other)
		return;
	old = other->share;
	share = gather(other, NULL, listener);
	if (!share)
		return;
	change = (struct change){
		.from = old ? first_of(old) : other,
		.to = place_of(first_of(share), share, true),
		.out = listener,
	};
	heard = make_arrays(&change, listener->mask, NULL);
	if (!heard) {
		taskacct_share_free(share);
		return;
	}
	if (old)
		taskacct_share_retire(old);
	use_arrays(heard);
	set_share(share);
	synchronize_rcu();
	taskacct_listener_flush(listener);
	taskacct_listener_flush(other);
	if (old)
		taskacct_share_free(old);
}

/* Gives a listener that shares its batches a place of its own. */
static int part(struct taskacct_listener *listener)
{
	struct taskacct_share *share, *old = listener->share;
	struct taskacct_heard **heard;
	struct change change;

	if (!old)
		return 0;
	share = gather(listener, listener, NULL);
	if (!share)
		return -ENOMEM;
	change = (struct change){
		.from = first_of(old),
		.to = place_of(first_of(share), share, true),
		.last = place_of(listener, NULL, true),
	};
	heard = make_arrays(&change, listener->mask, NULL);
	if (!heard) {
		taskacct_share_free(share);
		return -ENOMEM;
	}
	taskacct_share_retire(old);
	use_arrays(heard);
	set_share(share);
	listener->share = NULL;
	synchronize_rcu();
	taskacct_share_free(old);
	if (!share->n)
		taskacct_share_free(share);
	return 0;
}

/* Puts a listener in the place of another; cannot fail. */
static void give_place(const struct taskacct_listener *listener,
		       struct taskacct_listener *to)
{
	struct taskacct_heard *heard;
	unsigned int cpu, i;

	for_each_cpu(cpu, listener->mask) {
		heard = heard_on(cpu);
		for (i = 0; i < heard->n; i++)
			if (heard_by(heard, i) == listener)
				rcu_assign_pointer(heard->by[i].listener, to);
	}
}

/* Takes a listener away from those with whom it shares; cannot fail. */
static void leave(struct taskacct_listener *listener)
{
	struct taskacct_share *share = listener->share;
	struct taskacct_listener *first;

	if (!share)
		return;
	first = first_of(share);
	taskacct_share_leave(share, listener);
	listener->share = NULL;
	if (first != listener)
		return;
	first = first_of(share);
	if (first) {
		give_place(listener, first);
		return;
	}
	hear_no_more(listener, listener->mask);
	synchronize_rcu();
	taskacct_share_free(share);
}

static struct taskacct_listener *find_listener(const struct sock *sk)
{
	struct taskacct_listener *listener;

	lockdep_assert_held(&listeners_mutex);

	list_for_each_entry(listener, &listeners, node)
		if (listener->sk == sk)
			return listener;
	return NULL;
}

static struct taskacct_listener *create_listener(struct sock *sk, u32 portid)
{
	struct taskacct_listener *listener;

	lockdep_assert_held(&listeners_mutex);

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
	lockdep_assert_held(&listeners_mutex);

	leave(listener);
	hear_no_more(listener, listener->mask);
	list_del(&listener->node);
	nr_listeners--;
	taskacct_listener_end(listener);
	call_rcu(&listener->rcu, free_listener_rcu);
}

/* Exits on CPUs of both masks are heard throughout. */
static void hear_only(struct taskacct_listener *listener,
		      const struct cpumask *mask)
{
	unsigned int cpu;

	taskacct_listener_flush(listener);
	for_each_cpu(cpu, listener->mask) {
		if (cpumask_test_cpu(cpu, mask))
			continue;
		hear_no_more_on(listener, cpu);
		cpumask_clear_cpu(cpu, listener->mask);
	}
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
		sub = sub_of(other);
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
	const struct taskacct_subscription *old = sub_of(listener);

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
	int err = 0;

	if (sub && sub->classic)
		take_over(sub, mask, listener);
	if (sub && taskacct_reach_is_guest(&sub->reach))
		err = check_guests(listener, extack);
	if (!err)
		err = part(listener);
	if (!err)
		err = hear(listener, mask, sub);
	if (!err && sub)
		hear_only(listener, mask);
	/* Also if it goes on as it was */
	share_batches(listener);
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
	mutex_lock(&listeners_mutex);
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
	mutex_unlock(&listeners_mutex);
	return err;
}

/*
 * Whoever deregisters takes leave: what waits for a datagram to be full is sent
 * now, that of exits which are on their way included.
 */
static void end_waiting(struct taskacct_listener *listener)
{
	const struct taskacct_subscription *sub =
		rcu_dereference_protected(listener->sub,
					  lockdep_is_held(&listeners_mutex));

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
	mutex_lock(&listeners_mutex);
	listener = find_listener(sk);
	if (listener && cpumask_intersects(mask, listener->mask)) {
		err = part(listener);
		if (!err) {
			hear_no_more(listener, mask);
			end_waiting(listener);
		}
	} else {
		NL_SET_ERR_MSG(extack,
			       "this socket is registered for none of these CPUs");
		err = -ENOENT;
	}
	mutex_unlock(&listeners_mutex);
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
	mutex_lock(&listeners_mutex);
	count = nr_listeners;
	mutex_unlock(&listeners_mutex);
	return count;
}

static int tell_about(struct taskacct_listener *listener,
		      int (*tell)(const struct taskacct_listener_info *info,
				  void *data),
		      void *data)
{
	struct taskacct_listener_info info;

	taskacct_listener_figures(listener, &info);
	info.mask = listener->mask;
	info.sub = rcu_dereference_protected(listener->sub,
					     lockdep_is_held(&listeners_mutex));
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
	mutex_lock(&listeners_mutex);
	listener = find_listener(sk);
	if (listener)
		ret = tell_about(listener, tell, data);
	mutex_unlock(&listeners_mutex);
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
	mutex_lock(&listeners_mutex);
	list_for_each_entry(listener, &listeners, node) {
		if (listener->id < *next)
			continue;
		ret = tell_about(listener, tell, data);
		if (ret)
			break;
		*next = listener->id + 1;
	}
	mutex_unlock(&listeners_mutex);
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

	mutex_lock(&listeners_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node)
		if (sock_flag(listener->sk, SOCK_DEAD))
			destroy_listener(listener);
	mutex_unlock(&listeners_mutex);
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

	mutex_lock(&listeners_mutex);
	list_for_each_entry_safe(listener, next, &listeners, node) {
		listener->sk->sk_err = ENODEV;
		listener->sk->sk_error_report(listener->sk);
		destroy_listener(listener);
	}
	mutex_unlock(&listeners_mutex);

	/* free_listener_rcu() and free_sub_rcu() are our code. */
	rcu_barrier();
	flush_work(&free_left_work);
}
