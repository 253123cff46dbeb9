/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A load that the kernel's ticks do not see
 */
#ifndef SELFTESTS_DODGE_H
#define SELFTESTS_DODGE_H

#include <stdint.h>

/**
 * struct evade - what is known of the ticks
 * @length: from one to the next, in ns
 * @next: when the next one comes, by CLOCK_MONOTONIC
 */
struct evade {
	int64_t length;
	int64_t next;
};

void evade_find_ticks(struct evade *d);
void evade_ticks(struct evade *d, int64_t ns);

#endif /* SELFTESTS_DODGE_H */
