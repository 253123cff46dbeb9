/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The return to user mode
 */
#ifndef TASKACCT_CPUTIME_USER_RETURN_H
#define TASKACCT_CPUTIME_USER_RETURN_H

#include <linux/types.h>

#include <taskacct_features.h>

struct user_return_notifier;

#if TASKACCT_HAVE_USER_RETURN
void taskacct_user_return_tell(bool wanted,
			       void (*on_return)(struct user_return_notifier *));
#else
static inline void taskacct_user_return_tell(bool wanted, void *on_return)
{
}
#endif

#endif /* TASKACCT_CPUTIME_USER_RETURN_H */
