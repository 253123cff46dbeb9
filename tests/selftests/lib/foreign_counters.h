/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module in tests/foreign_counters, which has counters of its own and makes time pass.
 */
#ifndef SELFTESTS_COUNT_H
#define SELFTESTS_COUNT_H

#include <stdbool.h>

/* What is written to them, and read: see tests/foreign_counters/foreign_counters.c */
#define COUNT_PARAMETERS "/sys/module/foreign_counters/parameters/"

int count_add(const char *name);
int count_add_kind(const char *text);
int count_del(int instance);
int count_adjust(int instance, long long delta);
int count_beat(int to, int from, long long delta);
int count_hold(bool on);

#endif /* SELFTESTS_COUNT_H */
