/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The messages of an exit: one for each listener of the CPU
 */
#ifndef TASKACCT_FANOUT_H
#define TASKACCT_FANOUT_H

#include <linux/types.h>

#include "listen/listen.h"

struct taskacct_group;
struct taskacct_cpu_listeners;
struct taskacct_total;
struct taskacct_values;

/* For so many listeners no memory has to be found. */
#define TASKACCT_FANOUT_FEW	4

/**
 * struct taskacct_fanout - the messages of an exit
 * @cpu_listeners: the listeners of the CPU when they were made; NULL: none
 * @values: of current
 * @group: its process, where that has had several threads; or NULL
 * @last: current is the last thread of its process
 * @several: the process has had several threads
 * @n: how many messages there are
 * @pending: the messages; NULL: there was no memory for a list of them
 * @few: room for a few
 */
struct taskacct_fanout {
	const struct taskacct_cpu_listeners *cpu_listeners;
	const struct taskacct_values *values;
	struct taskacct_group *group;
	bool last;
	bool several;
	unsigned int n;
	struct taskacct_pending *pending;
	struct taskacct_pending few[TASKACCT_FANOUT_FEW];
};

u32 taskacct_fanout_next_seq(void);
void taskacct_fanout_total(struct taskacct_total *total,
			   struct taskacct_group *group,
			   const struct taskacct_values *values);
void taskacct_fanout_make(struct taskacct_fanout *out,
			  const struct taskacct_values *values,
			  struct taskacct_group *group, bool last,
			  bool several);
void taskacct_fanout_remake(struct taskacct_fanout *out);
bool taskacct_fanout_commit(struct taskacct_fanout *out, bool anyway);
void taskacct_fanout_send(struct taskacct_fanout *out);
void taskacct_fanout_drop(struct taskacct_fanout *out);

#endif /* TASKACCT_FANOUT_H */
