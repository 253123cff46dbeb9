/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who listens to which CPUs
 */
#ifndef TASKACCT_LISTEN_CPU_LISTENERS_H
#define TASKACCT_LISTEN_CPU_LISTENERS_H

#include <linux/cpumask.h>
#include <linux/mutex.h>

#include "listen.h"

struct taskacct_listener;

extern struct mutex taskacct_listeners_mutex;

struct taskacct_cpu_listeners **
taskacct_cpu_listeners_make(struct taskacct_listener *listener, bool extended,
			    const struct cpumask *mask, const struct cpumask *but);
void taskacct_cpu_listeners_use(struct taskacct_cpu_listeners **cpu_listeners);
void taskacct_cpu_listeners_drop(struct taskacct_listener *listener,
				 const struct cpumask *mask);
void taskacct_cpu_listeners_keep(struct taskacct_listener *listener,
				 const struct cpumask *mask);

#endif /* TASKACCT_LISTEN_CPU_LISTENERS_H */
