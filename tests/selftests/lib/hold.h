/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that are held between their exit and their end, as any user can have it: each
 * is the first of a pid namespace, and the kernel has it wait, behind its exit, until all
 * others there have been waited for. One of them is a child of the test: the key.
 */
#ifndef SELFTESTS_HOLD_H
#define SELFTESTS_HOLD_H

#include <stdbool.h>
#include <sys/types.h>

#include "work.h"

/* Page faults that the last thread of hold_last() has before it exits, at least */
#define HOLD_FAULTS 20

/**
 * struct hold - such a process
 * @w: the process
 * @key: the child that lets it go
 */
struct hold {
	struct work w;
	pid_t key;
};

int hold_start(struct hold *h, work_fn fn, void *arg);
pid_t hold_one(pid_t *key);
int hold_last(struct hold *h, uid_t uid);
bool hold_await(pid_t pid);
void hold_let_go(pid_t key);
int hold_end(struct hold *h);

#endif /* SELFTESTS_HOLD_H */
