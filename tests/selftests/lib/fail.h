/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Making things fail on purpose: calls of the kernel by taskacct, with the
 * module of tests/fail, and allocations, with the kernel's fault injection.
 */
#ifndef SELFTESTS_FAIL_H
#define SELFTESTS_FAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* More functions than the module uses of those that can fail */
#define FAIL_FUNCTIONS 48

/**
 * enum fail_kind - what a function does for the module
 * @FAIL_MEMORY: gets memory
 * @FAIL_SPARE: takes what is at hand for a mark, or for what is kept until the end
 * @FAIL_POOL: gets memory from a reserve: for a group, then for marks
 * @FAIL_SKB: gets memory for a message
 * @FAIL_CLONE: doubles a message
 * @FAIL_QUEUE: puts a message into a queue
 * @FAIL_OTHER: registers, or sets up
 */
enum fail_kind {
	FAIL_MEMORY,
	FAIL_SPARE,
	FAIL_POOL,
	FAIL_SKB,
	FAIL_CLONE,
	FAIL_QUEUE,
	FAIL_OTHER,
};

/**
 * struct fail_function - a function that can fail
 * @name: its name, on some kernel
 * @kind: what it is for
 * @value: what it returns when it fails
 */
struct fail_function {
	const char *name;
	enum fail_kind kind;
	long value;
};

/**
 * struct fail_calls - how often a function was called
 * @calls: by the module
 * @failed: of these, made to fail, or held
 */
struct fail_calls {
	unsigned int calls;
	unsigned int failed;
};

const struct fail_function *fail_function(size_t i);
const char *fail_unknown(void);
int fail_error(const struct fail_function *f);

int fail_begin(void);
int fail_end(void);
int fail_plan(const char *plan);
int fail_nth(const struct fail_function *f, unsigned int nth, pid_t task);
int fail_none(pid_t task);
int fail_watch(const char *name);
int fail_hold(const char *name, unsigned int ms, pid_t task);
int fail_init_nth(unsigned int nth);
struct fail_calls fail_calls(const struct fail_function *f);

bool fail_slab_begin(void);
int fail_slab_open(pid_t pid, pid_t tid);
int fail_slab_set(int fd, unsigned int nth);
unsigned int fail_slab_left(int fd);
int fail_slab_probability(unsigned int percent);
int fail_hush(bool on);
bool fail_locks_right(void);

#endif /* SELFTESTS_FAIL_H */
