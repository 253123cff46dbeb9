// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the ring to totals and events
 *
 * Processes have a lane of their own there, in which each has one entry, with its record and,
 * where it had several threads, that of its last thread. Threads are in their process's
 * record; their own lane is passed over.
 */
#include "agent.h"

/* How many are taken before pmcd is answered, which does not wait for ever */
#define EXITS_MAX 4096

/* The record of the whole process: the task's own where it had no other thread */
static const struct taskacct_extended *process_of(const struct taskacct_message *message)
{
	int i;

	for (i = 0; i < message->n_records; i++)
		if (message->records[i].r.kind == TASKACCT_KIND_PROCESS)
			return &message->records[i];
	return message->n_records ? &message->records[0] : NULL;
}

/* Returns false for what cannot be read: it counts as lost. */
static bool take(const struct taskacct_ring_exit *exit)
{
	const struct taskacct_extended *record;
	struct taskacct_message message;

	if (taskacct_decode_message(&message, exit->nlh))
		return false;
	record = process_of(&message);
	if (!record)
		return false;
	ended_add(record, &message.cgroup);
	events_add(record, &message.cgroup);
	return true;
}

void exits_take(void)
{
	struct taskacct_ring *ring = module_ring();
	static const struct taskacct_ring *known;
	static uint64_t lost_before;
	struct taskacct_ring_exit exit;
	uint64_t lost, read = 0, unread = 0;
	unsigned int n;

	if (!ring)
		return;
	if (known != ring)
		lost_before = 0;
	known = ring;
	for (n = 0; n < EXITS_MAX && taskacct_ring_next(ring, &exit) == 1; n++) {
		if (exit.lane != TASKACCT_RING_PROCESSES)
			continue;
		if (take(&exit))
			read++;
		else
			unread++;
	}
	lost = taskacct_ring_lost(ring, TASKACCT_RING_PROCESSES);
	ended_count(read, lost - lost_before + unread);
	events_lose(lost - lost_before + unread);
	lost_before = lost;
}
