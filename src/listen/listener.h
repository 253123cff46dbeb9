/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A listener as those know it who send to it; others see a pointer
 */
#ifndef TASKACCT_LISTEN_LISTENER_H
#define TASKACCT_LISTEN_LISTENER_H

#include "heard.h"
#include "listen.h"

/**
 * taskacct_listener_sub() - what a listener asked for
 * @listener: the listener
 *
 * Context: task context; with taskacct_heard_mutex.
 * Return: that.
 */
static inline struct taskacct_subscription *
taskacct_listener_sub(const struct taskacct_listener *listener)
{
	return rcu_dereference_protected(listener->sub,
					 lockdep_is_held(&taskacct_heard_mutex));
}

/**
 * taskacct_payer_is_same() - whether two listeners count for the same
 * @payer: the one's
 * @other: the other's
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool taskacct_payer_is_same(const struct taskacct_payer *payer,
					  const struct taskacct_payer *other)
{
	return payer->ns == other->ns && uid_eq(payer->uid, other->uid);
}

void taskacct_subscription_free(struct taskacct_subscription *sub);
struct taskacct_listener *taskacct_listener_new(struct sock *sk, u32 portid);
void taskacct_listener_replace_sub(struct taskacct_listener *listener,
				   struct taskacct_subscription *sub);
void taskacct_listener_free(struct taskacct_listener *listener);
void taskacct_listener_free_later(struct taskacct_listener *listener);
void taskacct_listener_wait(void);

#endif /* TASKACCT_LISTEN_LISTENER_H */
