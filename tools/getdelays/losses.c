// SPDX-License-Identifier: GPL-2.0-only
/*
 * Losses, reported when they happen and at most once a second
 */
#include <time.h>

#include "handle.h"
#include "losses.h"
#include "message.h"

#define PERIOD_MS 1000

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int losses_open(struct losses *losses, const struct worker *workers, int n,
		const char *family)
{
	*losses = (struct losses){ .workers = workers, .n = n };
	losses->ta = handle_open(family);
	if (!losses->ta)
		return -1;
	losses->counts = taskacct_counts_losses(losses->ta);
	return 0;
}

void losses_close(struct losses *losses)
{
	taskacct_close(losses->ta);
	losses->ta = NULL;
}

void losses_note(struct losses *losses)
{
	losses->due = true;
}

/* What the listeners lost, while their statistics come in */
struct sum {
	const struct losses *losses;
	uint64_t queue;
	uint64_t memory;
};

static void add_listener(const struct taskacct_listener *listener, void *arg)
{
	struct sum *sum = arg;
	const struct worker *w = sum->losses->workers;
	int i;

	for (i = 0; i < sum->losses->n; i++) {
		if (taskacct_is_listener(w[i].ta, listener)) {
			sum->queue += listener->lost_queue;
			sum->memory += listener->lost_memory;
		}
	}
}

static bool tell_count(struct losses *losses)
{
	struct sum sum = { .losses = losses };
	unsigned long long queue, memory;

	if (taskacct_listeners(losses->ta, add_listener, &sum))
		return false;
	queue = sum.queue - losses->queue;
	memory = sum.memory - losses->memory;
	if (!queue && !memory)
		return false;
	if (!losses->quiet)
		message("lost: %llu (queue %llu, memory %llu); a larger buffer: -r",
			queue + memory, queue, memory);
	losses->queue = sum.queue;
	losses->memory = sum.memory;
	return true;
}

static bool tell_overflows(struct losses *losses)
{
	uint64_t overflows = 0;
	int i;

	for (i = 0; i < losses->n; i++)
		overflows += losses->workers[i].overflows;
	if (overflows == losses->overflows)
		return false;
	message("lost: unknown (%llu overflows); a larger buffer: -r",
		(unsigned long long)(overflows - losses->overflows));
	losses->overflows = overflows;
	return true;
}

int losses_tell(struct losses *losses, bool last)
{
	uint64_t now = now_ns(), gone = (now - losses->reported_ns) / 1000000;

	if (!losses->due)
		return -1;
	if (!last && losses->reported_ns && gone < PERIOD_MS)
		return PERIOD_MS - (int)gone;
	losses->due = false;
	if (losses->counts ? tell_count(losses) : tell_overflows(losses))
		losses->reported_ns = now;
	return -1;
}
