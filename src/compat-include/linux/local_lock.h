/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On PREEMPT_RT a local lock is a spinlock, whose header this one does not
 * include (6.12)
 */
#ifndef TASKACCT_COMPAT_LINUX_LOCAL_LOCK_H
#define TASKACCT_COMPAT_LINUX_LOCAL_LOCK_H

#include <linux/spinlock.h>
#include_next <linux/local_lock.h>

#endif /* TASKACCT_COMPAT_LINUX_LOCAL_LOCK_H */
