// SPDX-License-Identifier: GPL-2.0-only
/*
 * Losses, told when they happen and at most once a second
 */
#include <time.h>

#include "losses.h"
#include "message.h"

uint64_t losses_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void losses_open(struct losses *losses)
{
	*losses = (struct losses){ .counts = false };
	pthread_mutex_init(&losses->lock, NULL);
}

void losses_note(struct losses *losses, uint64_t lost, uint64_t overflows)
{
	if (!lost && !overflows)
		return;
	pthread_mutex_lock(&losses->lock);
	losses->lost += lost;
	losses->overflows += overflows;
	pthread_mutex_unlock(&losses->lock);
}

static void tell(struct losses *losses)
{
	if (losses->counts)
		message("lost %llu messages: receive buffer full (see -r)",
			(unsigned long long)losses->lost);
	else
		message("lost messages, unknown how many: receive buffer full %llu times (see -r)",
			(unsigned long long)losses->overflows);
	losses->lost = 0;
	losses->overflows = 0;
}

int losses_tell(struct losses *losses)
{
	uint64_t now, due;
	int wait = -1;

	pthread_mutex_lock(&losses->lock);
	/* Of an overflow whose size is not known yet, it soon will be. */
	if (losses->counts ? losses->lost : losses->overflows) {
		now = losses_clock();
		due = losses->told_ns + LOSSES_PERIOD_NS;
		if (losses->told_ns && now < due) {
			wait = (int)((due - now) / 1000000) + 1;
		} else {
			tell(losses);
			losses->told_ns = now;
		}
	}
	pthread_mutex_unlock(&losses->lock);
	return wait;
}
