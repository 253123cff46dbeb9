/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who hears which CPUs
 */
#ifndef TASKACCT_LISTEN_HEARD_H
#define TASKACCT_LISTEN_HEARD_H

#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "listen.h"

struct taskacct_listener;

extern struct mutex taskacct_heard_mutex;

struct taskacct_heard **
taskacct_heard_make(struct taskacct_listener *listener, bool extended,
		    const struct cpumask *mask, const struct cpumask *but);
void taskacct_heard_use(struct taskacct_heard **heard);
void taskacct_heard_drop(struct taskacct_listener *listener,
			 const struct cpumask *mask);
void taskacct_heard_keep(struct taskacct_listener *listener,
			 const struct cpumask *mask);

#endif /* TASKACCT_LISTEN_HEARD_H */
