/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a test may take
 */
#ifndef SELFTESTS_LIMIT_H
#define SELFTESTS_LIMIT_H

#include <stdbool.h>

/* Seconds for a test that works, and until one that stands still is ended */
#define LIMIT_WORKING 300
#define LIMIT_STILL 60

void limit_start(unsigned int seconds);
void limit_goes_on(void);
bool limit_reached(void);

#endif /* SELFTESTS_LIMIT_H */
